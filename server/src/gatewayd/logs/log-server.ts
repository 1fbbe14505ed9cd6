// The log server that the operator names in a file of the state folder. Wiring only.

import { join } from 'node:path'
import { csvRows } from '../../core/area/csv.ts'
import type { LogServerReport, LogStore } from '../../domain/logs/store.ts'
import { logViews } from './log-views.ts'
import { ServerLogStore } from './server-store/server-log-store.ts'
import { readLogServer } from './server-store/settings.ts'

export interface LogWithServer {
  readonly logs: LogStore
  /** Absent without a log server. */
  readonly logServer?: () => LogServerReport
}

/** Without the file, or with one that cannot be used, the log is that of the gateway alone. */
export function openLogServer(stateDir: string, folder: string, local: LogStore, aging: () => number): LogWithServer {
  const settings = readLogServer(join(stateDir, 'log-server.json'))
  if (settings === null) return { logs: local }
  if ('fault' in settings)
    return { logs: local, logServer: () => ({ name: '', fault: settings.fault, waiting: 0, lost: 0 }) }
  const store = new ServerLogStore({
    settings,
    local,
    views: logViews,
    csv: csvRows,
    cursorFile: join(folder, 'log-server-place.json'),
    now: aging,
  })
  return { logs: store, logServer: () => ({ name: settings.url.host, ...store.serverState() }) }
}
