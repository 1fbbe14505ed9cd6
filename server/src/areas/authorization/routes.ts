// Endpoints of authorization rules.

import { randomUUID } from 'node:crypto'
import { removeItem } from '../../contract/list-edits.ts'
import { read } from '../../contract/slots.ts'
import { handle, type Route } from '../../http/handle.ts'
import { authorizationRules as slot } from './config.ts'
import { type AuthorizationRule, authorizationRules as endpoints } from './contract.ts'
import { addRule, updateRule } from './edits.ts'

export const routes: readonly Route[] = [
  handle(endpoints.list, ({ config }) => read(config, slot) as AuthorizationRule[], { slot }),
  handle(
    endpoints.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config) => addRule(config, id, body))
      return { id }
    },
    { slot },
  ),
  handle(
    endpoints.update,
    ({ params, body, change }) => change((config) => updateRule(config, params.rule_id ?? '', body)),
    { slot },
  ),
  handle(
    endpoints.remove,
    ({ params, change }) => change((config) => removeItem(config, slot, params.rule_id ?? '', 'authorization rule')),
    { slot },
  ),
]
