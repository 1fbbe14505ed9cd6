// The log of this gateway: its thread and the files that the thread reads. Wiring only.

import { join } from 'node:path'
import { noLogLimits } from '../../areas/logs/config.ts'
import type { Log } from '../../core/log.ts'
import { hitsPath } from '../../engines/firewall-log/index.ts'
import { inspectionPaths } from '../../engines/inspection/index.ts'
import { webFilterPaths } from '../../engines/web-filter/index.ts'
import type { Aging } from '../../shared/time/aging.ts'
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
