// How what authorization offers is made.

import { type Run, run } from '../../core/area/run.ts'
import { Shelter } from '../../core/database/shelter.ts'
import { createLiveSetFinder } from '../../core/plan/declared-live-sets.ts'
import { UnitLines } from '../../domain/logs/unit-lines.ts'
import { logsService } from '../logs/service.ts'
import { createKnownHosts } from './known-hosts.ts'
import { SessionKeeper } from './runs/keeper.ts'
import { linesOf } from './runs/session-lines.ts'
import { SessionRows, userSessionTables } from './runs/session-rows.ts'
import { userSessionsService } from './service.ts'

export const runs: readonly Run[] = [
  run(userSessionsService, ({ services, engine, applier, database, log }) => {
    const { clock } = services
    const logs = services.of(logsService)
    const tables = new Shelter(database, userSessionTables)
    const lines = new UnitLines(logs, clock.now)
    const declaredSets = createLiveSetFinder()
    const keeper = new SessionKeeper({
      rows: new SessionRows(tables, clock.boot),
      applier,
      known: createKnownHosts(() => engine.config),
      liveSets: () => declaredSets(engine.rendered.foreground),
      clock,
      journal: { write: (events) => lines.writeAll(linesOf(events)) },
      onFault: (error) => log('warning', 'the kernel does not follow the sessions of users', { error }),
    })
    engine.onChanged(() => keeper.noteSets())
    engine.beforeAnswer(() => keeper.followConfiguration())
    return {
      offers: keeper,
      start: () => keeper.start(),
      stop: async () => {
        await keeper.stop()
        tables.tryReturn()
        tables.close()
      },
    }
  }),
]
