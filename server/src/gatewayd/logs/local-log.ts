// The log of this gateway: its thread, the files that the thread reads, and what it has to know of them. Wiring only.

import { join } from 'node:path'
import { type HitTeller, tellHitReader } from '../../areas/firewall-log/jobs.ts'
import { noLogLimits } from '../../areas/logs/config.ts'
import type { Log } from '../../core/log.ts'
import type { FromFiles } from '../../domain/logs/from-files.ts'
import { hitsPath } from '../../engines/firewall-log/index.ts'
import { inspectionPaths } from '../../engines/inspection/index.ts'
import { webFilterPaths } from '../../engines/web-filter/index.ts'
import type { Aging } from '../../shared/time/aging.ts'
import type { Gateway } from '../app.ts'
import type { Settings } from '../settings.ts'
import type { LogFiles } from './log-sources.ts'
import { createLocalLogStore, type LocalLogStore } from './store/local-store.ts'

export const logsFile = 'logs.db'

/** The files of services are read in the thread that writes the log. */
export function openLogs(
  { stateDir }: Pick<Settings, 'stateDir'>,
  folder: string,
  { state }: Aging,
  log: Log,
): LocalLogStore {
  const files: LogFiles = {
    folder: join(stateDir, 'log'),
    hits: join(stateDir, hitsPath),
    web: join(stateDir, webFilterPaths.accessLog),
    security: join(stateDir, inspectionPaths.events),
  }
  const logs = createLocalLogStore({
    path: join(folder, logsFile),
    limits: noLogLimits,
    writerEntry: new URL('../threads/log-writer.ts', import.meta.url),
    workerEntry: new URL('../threads/log-worker.ts', import.meta.url),
    reservePath: join(folder, 'reserve'),
    aging: state,
    followers: { files },
    onFault: (error) => log('error', 'the thread of the log ended and is started again', { error }),
  })
  return logs
}

/** What the thread of the log has to know of hits, and its faults. */
export function followHitReader({ engine, services }: Gateway, logs: LocalLogStore, log: Log): HitTeller {
  const teller = tellHitReader(services, (news) => logs.tell('files', news))
  logs.onTold('files', (message) => {
    const told = message as FromFiles
    if (told.is === 'begun') teller.begin()
    else log('warning', 'a log file cannot be read', { fault: told.text })
  })
  teller.begin()
  engine.onChanged(teller.look)
  return teller
}
