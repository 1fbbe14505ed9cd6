// Endpoints of the rules in the five tables and of their counters.

import { handle, type Route } from '../../http/handle.ts'
import { listRoutes, settingsRoutes } from '../../http/routes.ts'
import { pathOf } from '../../model/paths.ts'
import { read } from '../../model/slots.ts'
import { endOrigins } from '../../policy/outside.ts'
import { type RuleTable, watch } from './config.ts'
import {
  dnatRules,
  firewallWatch,
  forwardRules,
  hitCounters,
  inputRules,
  logRules,
  snatRules,
  systemCounters,
} from './contract-rules.ts'
import { ruleLists } from './lists.ts'

type RuleEndpoints = typeof forwardRules | typeof inputRules | typeof dnatRules | typeof snatRules | typeof logRules

function ruleRoutes(table: RuleTable, endpoints: RuleEndpoints): Route[] {
  const list = ruleLists[table]
  return [
    ...listRoutes(endpoints, list),
    handle(hitCounters[table], async ({ config, services }) => {
      const hits = await services.hitCounters.current()
      return read(config, list.slot).map(({ id }) => ({ id, packets: hits.get(pathOf(list.slot, id))?.packets ?? 0 }))
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
  handle(systemCounters, async ({ services }) => {
    const hits = await services.hitCounters.current()
    return endOrigins.map((origin) => ({ rule_id: origin, packets: hits.get(origin)?.packets ?? 0 }))
  }),
]
