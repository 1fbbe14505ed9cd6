// How what health offers is made.

import { hostname } from 'node:os'
import { type Run, run } from '../../core/area/run.ts'
import { version } from '../../shared/version.ts'
import { targetsService } from '../objects/service.ts'
import { deliverNotices, startHealth, targetsOf } from './jobs.ts'
import { addQueues } from './jobs-queues.ts'
import { createClockProbe } from './runs/clock-sync.ts'
import { ConflictBook } from './runs/conflicts.ts'
import { chartsFile, createHealth } from './runs/health.ts'
import { createLoadReader } from './runs/machine-load.ts'
import { createSendMail } from './runs/mail.ts'
import { createWebhookCall } from './runs/webhook.ts'
import { conflictsService, healthChecksService, healthService, machineLoadService, noticesService } from './service.ts'

export const runs: readonly Run[] = [
  run(conflictsService, ({ services, applier }) => ({
    offers: new ConflictBook(() => applier.conflicts(), services.clock),
  })),
  run(machineLoadService, ({ settings }) =>
    settings.isOnMachine
      ? {
          offers: createLoadReader({
            folder: settings.folder,
            files: ['gateway.db', 'logs.db', chartsFile],
            isClockKept: createClockProbe(),
          }),
        }
      : null,
  ),
  run(noticesService, ({ services, settings }) =>
    settings.isOnMachine
      ? {
          offers: {
            lookUp: services.of(targetsService).lookUpOther,
            mail: createSendMail(hostname()),
            webhook: createWebhookCall(`${services.brand}/${version}`),
          },
        }
      : null,
  ),
  run(healthService, ({ services, engine, settings, reserve, aging, log }) => {
    const health = createHealth({
      folder: settings.folder,
      clock: services.clock,
      aging,
      ...(reserve ? { reserve } : {}),
      targets: () => targetsOf(engine.config),
      deliver: (target, notices) => deliverNotices(services, target, notices),
      onFault: (source, error) => log('warning', 'a health check failed', { source, error }),
    })
    return { offers: health, stop: () => health.close() }
  }),
  run(healthChecksService, ({ services, engine, settings, log }) => {
    addQueues(services, engine)
    if (!settings.isOnMachine) return null
    let checks: { stop(): void } | null = null
    return {
      offers: {},
      start: () => {
        checks = startHealth(services, (error) => log('warning', 'health could not be checked', { error }))
      },
      stop: () => checks?.stop(),
    }
  }),
]
