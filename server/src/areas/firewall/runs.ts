// How what the firewall offers is made.

import { join } from 'node:path'
import { type Run, run } from '../../core/area/run.ts'
import { channelContents, rulesByProfile } from './channel-contents.ts'
import { ruleOrigins } from './config.ts'
import { totalInForce } from './limits.ts'
import { createConnectionGuard } from './runs/connection-guard.ts'
import { HitCounters } from './runs/hit-counters.ts'
import { channelsService, connectionGuardService, hitCountersService } from './service.ts'

export const runs: readonly Run[] = [
  run(channelsService, () => ({ offers: { contents: channelContents, rulesByProfile } })),
  run(hitCountersService, ({ services, engine, applier, settings }) => {
    const counters = new HitCounters({
      path: join(settings.folder, 'hit-counters.json'),
      clock: services.clock,
      hits: () => applier.hits(),
      origins: () => ruleOrigins(engine.config),
    })
    return {
      offers: counters,
      start: () => counters.start(),
      stop: async () => {
        if (settings.isOnMachine) await counters.current()
        counters.close()
      },
    }
  }),
  run(connectionGuardService, ({ engine, applier, settings, log }) => {
    if (!settings.isOnMachine || !settings.isApplied) return null
    const guard = createConnectionGuard({
      applier,
      log,
      total: (tableSize) => totalInForce(engine.config, tableSize),
    })
    return { offers: guard, start: () => guard.start(), stop: () => guard.stop() }
  }),
]
