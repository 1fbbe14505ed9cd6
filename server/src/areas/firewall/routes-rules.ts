// Endpoints of the rules in the five tables and of their counters.

import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, perItem, settingsRoutes } from '../../core/area/routes.ts'
import type { ReplyOf } from '../../core/contract/endpoint.ts'
import { itemOf } from '../../core/model/list-edits.ts'
import { pathOf } from '../../core/model/paths.ts'
import { read } from '../../core/model/slots.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { endOrigins } from '../../domain/policy/outside.ts'
import { type RuleTable, ruleTables, watch } from './config.ts'
import {
  changedCounters,
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
import { inOneForm, withBlocks } from './newer-blocks.ts'
import { hitCountersService } from './service.ts'

type RuleEndpoints = typeof forwardRules | typeof inputRules | typeof dnatRules | typeof snatRules | typeof logRules

function ruleRoutes(table: RuleTable, endpoints: RuleEndpoints): Route[] {
  const list = ruleLists[table]
  return [
    ...listRoutes(endpoints, list, {
      shown: perItem(withBlocks),
      prepare: (_context, body) => (id, _tools, config) => inOneForm(body, itemOf(read(config, list.slot), id)),
    }),
    handle(hitCounters[table], async ({ config, services }) => {
      const hits = await services.of(hitCountersService).current()
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
  handle(changedCounters, async ({ config, query, services }) => {
    const { hits, cursor, readingOf } = await services.of(hitCountersService).reading()
    const since = query.since === undefined ? null : readingOf(query.since)
    const slices = createSlices()
    const counters: ReplyOf<typeof changedCounters>['counters'][number][] = []
    for (const table of query.table ? [query.table] : ruleTables) {
      const { slot } = ruleLists[table]
      for (const { id } of read(config, slot)) {
        const {
          packets = 0,
          bytes = 0,
          since: begun = null,
          lastHit = null,
          reading = 0,
        } = hits.get(pathOf(slot, id)) ?? {}
        if (since === null || reading > since)
          counters.push({ table, id, packets, bytes, since: begun, last_hit: lastHit })
        await slices()
      }
    }
    return { cursor, complete: since === null, counters }
  }),
  handle(systemCounters, async ({ services }) => {
    const hits = await services.of(hitCountersService).current()
    return endOrigins.map((origin) => ({ rule_id: origin, packets: hits.get(origin)?.packets ?? 0 }))
  }),
]
