// How what the log offers is made; the log itself is of the process.

import { isDeepStrictEqual } from 'node:util'
import { type Run, run } from '../../core/area/run.ts'
import type { LogLimits } from '../../domain/logs/store.ts'
import { portalService } from '../portal/service.ts'
import { logLimitsOf } from './config.ts'
import { copyAuditTrail } from './jobs.ts'
import { freeDisks } from './runs/disks.ts'
import { disksService, logsService, refreshLogsService } from './service.ts'

export const runs: readonly Run[] = [
  run(refreshLogsService, ({ services, engine, reserve, log }) => {
    const { audit } = services
    const logs = services.of(logsService)
    const copy = copyAuditTrail({
      audit,
      logs,
      onFault: (error) => log('warning', 'the audit trail was not copied to the log', { error }),
    })
    let limits: LogLimits | null = null
    const setLimits = (): void => {
      const wanted = logLimitsOf(engine.config, reserve?.state().totalBytes ?? null)
      // After every change; telling the log wakes its thread.
      if (isDeepStrictEqual(wanted, limits)) return
      limits = wanted
      logs.setLimits(wanted)
    }
    setLimits()
    engine.onChanged(setLimits)
    const refresh = async (): Promise<void> => {
      await copy.refresh()
      await services.of(portalService).journal.settle()
      await logs.flush()
    }
    return { offers: refresh, stop: () => copy.stop() }
  }),
  run(disksService, ({ settings }) => (settings.isOnMachine ? { offers: { list: () => freeDisks() } } : null)),
]
