// Endpoints of the six tables of console rules.

import { invalid } from '../../contract/error.ts'
import { handle, type Route } from '../../http/handle.ts'
import { listRoutes } from '../../http/routes.ts'
import type { ListDeclaration } from '../../model/declarations.ts'
import { removeItem } from '../../model/list-edits.ts'
import { read } from '../../model/slots.ts'
import { filterDefaults } from '../firewall/public.ts'
import * as stored from './config.ts'
import * as contract from './contract.ts'
import type { ContentRule } from './contract-content.ts'
import { readGroups } from './contract-tables.ts'
import { contentProblems, firewallProblems } from './verify.ts'

type TableEndpoints = typeof contract.contentBefore | typeof contract.forwardBefore

function tableRoutes<T extends stored.GroupedRule>(endpoints: TableEndpoints, table: ListDeclaration<T>): Route[] {
  const { list, ...others } = endpoints
  const { slot } = table
  return [
    handle(
      list,
      ({ config, query }) => {
        const wanted = readGroups(query.groups)
        const rules = read(config, slot)
        return (wanted.length === 0 ? rules : rules.filter((rule) => wanted.includes(rule.parent_id))) as never
      },
      { slot },
    ),
    ...listRoutes(others, table),
  ]
}

const contentDefaults: Omit<ContentRule, 'id' | 'name' | 'access'> = {
  parent_id: stored.root.id,
  comment: '',
  aliases: ['any'],
  categories: [],
  http_methods: [],
  content_types: [],
  redirect_url: null,
  enabled: true,
  timetable: ['any'],
}

function contentRoutes(endpoints: typeof contract.contentBefore, slot: typeof stored.contentBefore): Route[] {
  const item = 'content filter rule'
  return [
    ...tableRoutes(endpoints, {
      slot,
      noun: item,
      ids: { kind: 'number' },
      defaults: contentDefaults,
      problemsOf: contentProblems,
    }),
    handle(
      endpoints.removeByBody,
      ({ body, change }) => {
        const id = body.params?.id ?? body.id
        if (id === undefined) throw invalid('id', 'This field is missing.')
        return change((config) => removeItem(config, slot, id, item))
      },
      { slot },
    ),
  ]
}

const firewallRoutes = (endpoints: typeof contract.forwardBefore, slot: typeof stored.forwardBefore): Route[] =>
  tableRoutes(endpoints, {
    slot,
    noun: 'firewall rule',
    ids: { kind: 'number' },
    defaults: filterDefaults,
    problemsOf: firewallProblems,
  })

export const ruleRoutes: readonly Route[] = [
  ...contentRoutes(contract.contentBefore, stored.contentBefore),
  ...contentRoutes(contract.contentAfter, stored.contentAfter),
  ...firewallRoutes(contract.forwardBefore, stored.forwardBefore),
  ...firewallRoutes(contract.forwardAfter, stored.forwardAfter),
  ...firewallRoutes(contract.inputBefore, stored.inputBefore),
  ...firewallRoutes(contract.inputAfter, stored.inputAfter),
]
