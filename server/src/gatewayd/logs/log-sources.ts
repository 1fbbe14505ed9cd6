// The files that the thread of the log reads: logs of services and engines, the hits of firewall rules, the requests of the
// web proxy and the events of the inspection engine. Wiring only.

import { logSources } from '../../core/engine/views.ts'
import type { Sink } from '../../domain/logs/source.ts'
import { engines } from '../../engines/index.ts'
import { serviceFiles } from './service-logs.ts'
import { FileFollower } from './sources/file-follower.ts'
import { type Following, follow } from './sources/following.ts'
import type { HitKnowledge } from './sources/hit-knowledge.ts'
import { createHitsFollower } from './sources/hits-follower.ts'
import { InspectedConnections } from './sources/inspected-connections.ts'
import { createEventsFollower } from './sources/security-events.ts'
import { webAccessFile } from './sources/web-requests.ts'

export interface LogFiles {
  /** Where services and engines write their logs. */
  readonly folder: string
  /** What the reader of the firewall log writes. */
  readonly hits: string
  /** What the web proxy writes. */
  readonly web: string
  /** What the inspection engine writes. */
  readonly security: string
}

/** `knowledge` is of the hits, requests and events. `onFault` is called once for each failure that begins. */
export function followLogFiles(
  { folder, hits, web, security }: LogFiles,
  knowledge: HitKnowledge,
  sink: Sink,
  onFault: (error: unknown) => void,
): Following {
  const files = serviceFiles(folder, logSources(engines)).map((file) => new FileFollower(file, sink))
  const requests = new FileFollower(webAccessFile({ path: web, knowledge, now: Date.now }), sink)
  const inspected = new InspectedConnections()
  const events = createEventsFollower({ path: security, knowledge, inspected, sink, now: Date.now })
  // Hits first: they say which rules had connections inspected.
  const packets = createHitsFollower({ path: hits, knowledge, sink, now: Date.now, inspected })
  return follow([packets, events, requests, ...files], onFault)
}
