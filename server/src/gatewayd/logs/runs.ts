// What runs with the log of this gateway: the thread that reads files is told what it has to know, and the log is forwarded.

import { join } from 'node:path'
import { tellHitReader } from '../../areas/firewall-log/jobs.ts'
import { hitReaderService } from '../../areas/firewall-log/service.ts'
import { forwardingTarget } from '../../areas/logs/jobs-forwarding.ts'
import { forwardingService } from '../../areas/logs/service.ts'
import { type Run, run } from '../../core/area/run.ts'
import type { FromFiles } from '../../domain/logs/from-files.ts'
import { LogForwarder } from './forwarding/log-forwarder.ts'
import { logsFile } from './local-log.ts'
import type { LocalLogStore } from './store/local-store.ts'

export const logRuns = (local: LocalLogStore): readonly Run[] => [
  run(forwardingService, ({ services, engine, settings: { folder, isApplied }, log }) => {
    if (!isApplied) return null
    const forwarder = new LogForwarder({
      logs: local,
      logsPath: join(folder, logsFile),
      cursorPath: join(folder, 'forwarding.json'),
      log,
    })
    const look = (): void => forwarder.follow(forwardingTarget(engine.config, services))
    return { offers: forwarder, start: look, follow: look, look, stop: () => forwarder.stop() }
  }),
  run(hitReaderService, ({ services, log }) => {
    const teller = tellHitReader(services, (news) => local.tell('files', news))
    return {
      offers: {},
      start: () => {
        local.onTold('files', (message) => {
          const told = message as FromFiles
          if (told.is === 'begun') teller.begin()
          else log('warning', 'a log file cannot be read', { fault: told.text })
        })
        teller.begin()
      },
      follow: () => teller.look(),
      stop: () => teller.stop(),
    }
  }),
]
