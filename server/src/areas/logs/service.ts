// What runs for the log, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { ForwardingReport, LogServerReport, LogStore } from '../../domain/logs/store.ts'

export interface FreeDisk {
  readonly id: string
  readonly title: string
  readonly bytes: number
}

/** Records of every kind: the system journal, firewall hits and the others. */
export const logsService = service<LogStore>('log')
/** Resolves when everything that was written before can be found in the log. */
export const refreshLogsService = service<() => Promise<void>>('copy of the audit trail')
/** Disks without partitions that nothing uses. */
export const disksService = optionalService<{ list(): Promise<readonly FreeDisk[]> }>('free disks')
/** Sends the log to a collector. */
export const forwardingService = optionalService<{ report(): ForwardingReport | null }>('forwarding')
/** How the log server takes records. */
export const logServerService = optionalService<() => LogServerReport>('log server')
