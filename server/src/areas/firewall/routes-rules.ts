// Endpoints of the rules in the five tables and of their counters.

import { moveItem, type Placement, removeItem } from '../../contract/list-edits.ts'
import { read } from '../../contract/slots.ts'
import { handle, type Route } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { originOf, type RuleTable, ruleSlots, watch } from './config.ts'
import {
  dnatRules,
  firewallWatch,
  forwardRules,
  hitCounters,
  inputRules,
  logRules,
  snatRules,
} from './contract-rules.ts'
import { addRule, replaceRule, ruleItem, updateRule } from './edits.ts'

type RuleEndpoints = typeof forwardRules | typeof dnatRules | typeof snatRules | typeof logRules

function ruleRoutes(table: RuleTable, endpoints: RuleEndpoints): Route[] {
  const slot = ruleSlots[table]
  return [
    handle(endpoints.list, ({ config }) => read(config, slot) as never, { slot }),
    handle(
      endpoints.create,
      ({ body, query, change }) =>
        change((config, tools) => {
          const id = tools.nextId(slot)
          return [addRule(config, table, id, body, query as Placement), { id }] as const
        }),
      { slot },
    ),
    handle(
      endpoints.update,
      ({ params, body, change }) => change((config) => updateRule(config, table, params.rule_id ?? '', body)),
      { slot },
    ),
    handle(
      endpoints.replace,
      ({ params, body, change }) => change((config) => replaceRule(config, table, params.rule_id ?? '', body)),
      { slot },
    ),
    handle(
      endpoints.move,
      ({ body, change }) => {
        const { id, ...placement } = body.params
        return change((config) => moveItem(config, slot, id, placement as Placement, ruleItem(table)))
      },
      { slot },
    ),
    handle(
      endpoints.remove,
      ({ params, change }) => change((config) => removeItem(config, slot, params.rule_id ?? '', ruleItem(table))),
      { slot },
    ),
    handle(hitCounters[table], async ({ config, services }) => {
      const hits = await services.hitCounters.current()
      return read(config, slot).map(({ id }) => ({ id, packets: hits.get(originOf(slot, id))?.packets ?? 0 }))
    }),
  ]
}

export const ruleRoutesOfAllTables: readonly Route[] = [
  ...ruleRoutes('forward', forwardRules),
  ...ruleRoutes('input', inputRules),
  ...ruleRoutes('dnat', dnatRules),
  ...ruleRoutes('snat', snatRules),
  ...ruleRoutes('log', logRules),
  ...settingsRoutes(firewallWatch, watch),
]
