// The files that the thread of the log reads: logs of services and engines, and the hits of firewall rules. Wiring only.

import { describeRecord } from './areas/firewall-log/records.ts'
import { engines } from './engines/index.ts'
import { logSources } from './engines/views.ts'
import { noNumber } from './logs/kinds.ts'
import type { NewRecord } from './logs/record.ts'
import { type FollowedFile, infoPriority, type Sink, warningPriority } from './logs/source.ts'
import { type FirewallRecord, lostRecord, parseHit } from './runtime/logs/firewall-log-line.ts'
import { FileFollower } from './runtime/logs/sources/file-follower.ts'
import { type Following, follow } from './runtime/logs/sources/following.ts'
import { serviceFiles } from './system/service-logs.ts'

export interface LogFiles {
  /** Where services and engines write their logs. */
  readonly folder: string
  /** What the reader of the firewall log writes. */
  readonly hits: string
}

/** `onFault` is called once for each failure that begins. */
export function followLogFiles({ folder, hits }: LogFiles, sink: Sink, onFault: (error: unknown) => void): Following {
  const files = [hitsFile(hits), ...serviceFiles(folder, logSources(engines))]
  return follow(
    files.map((file) => new FileFollower(file, sink)),
    onFault,
  )
}

const hitsFile = (path: string): FollowedFile => ({
  path,
  source: 'hits',
  records: (bytes, modified) => {
    const lines = bytes
      .toString('latin1')
      .split('\n')
      .filter((line) => line !== '')
    const hits = lines.flatMap((line) => parseHit(line, modified) ?? [])
    const lost = lines.length - hits.length
    return [...(lost > 0 ? [lostRecord(lost, modified)] : []), ...hits].map(fromHit)
  },
  lost: (lines) => fromHit(lostRecord(lines, Date.now())),
})

const unit = '{brand}-nflog'

function fromHit(hit: FirewallRecord): NewRecord {
  const { time, source_port, destination_port, ...fields } = hit
  return {
    kind: 'firewall',
    time: time * 1000,
    priority: hit.lost > 0 ? warningPriority : infoPriority,
    unit,
    syslogId: unit,
    message: describeRecord(hit),
    fields: {
      ...fields,
      source_port: source_port ?? noNumber,
      destination_port: destination_port ?? noNumber,
    },
  }
}
