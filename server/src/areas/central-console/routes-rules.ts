// Endpoints of the six tables of console rules.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes } from '../../core/area/routes.ts'
import { invalid } from '../../core/contract/error.ts'
import { removeFrom } from '../../core/model/lists.ts'
import { say } from '../../shared/said.ts'
import * as contract from './contract.ts'
import { readGroups } from './contract-tables.ts'
import * as lists from './lists-rules.ts'

/** The rules of the server groups that the query names, or of all. */
function ofGroups<T extends { readonly parent_id: string }>(rules: readonly T[], { query }: Context): readonly T[] {
  const wanted = readGroups((query as { readonly groups?: string }).groups)
  return wanted.length === 0 ? rules : rules.filter((rule) => wanted.includes(rule.parent_id))
}

const contentRoutes = (endpoints: typeof contract.contentBefore, list: typeof lists.contentBefore): Route[] => [
  ...listRoutes(endpoints, list, { shown: ofGroups }),
  handle(
    endpoints.removeByBody,
    ({ body, change }) => {
      const id = body.params?.id ?? body.id
      if (id === undefined) throw invalid('id', say`This field is missing.`)
      return change((config, { referencesTo }) => removeFrom(config, list, id, referencesTo))
    },
    { slot: list.slot },
  ),
]

const firewallRoutes = (endpoints: typeof contract.forwardBefore, list: typeof lists.forwardBefore): Route[] =>
  listRoutes(endpoints, list, { shown: ofGroups })

export const ruleRoutes: readonly Route[] = [
  ...contentRoutes(contract.contentBefore, lists.contentBefore),
  ...contentRoutes(contract.contentAfter, lists.contentAfter),
  ...firewallRoutes(contract.forwardBefore, lists.forwardBefore),
  ...firewallRoutes(contract.forwardAfter, lists.forwardAfter),
  ...firewallRoutes(contract.inputBefore, lists.inputBefore),
  ...firewallRoutes(contract.inputAfter, lists.inputAfter),
]
