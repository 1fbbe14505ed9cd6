// The files that the thread of the log reads: logs of services and engines, the hits of firewall rules, the requests of the
// web proxy and the events of the inspection engine. Wiring only.

import { engines } from './engines/index.ts'
import { logSources } from './engines/views.ts'
import type { Sink } from './logs/source.ts'
import { FileFollower } from './runtime/logs/sources/file-follower.ts'
import { type Following, follow } from './runtime/logs/sources/following.ts'
import type { HitKnowledge } from './runtime/logs/sources/hit-knowledge.ts'
import { createHitsFollower } from './runtime/logs/sources/hits-follower.ts'
import { InspectedConnections } from './runtime/logs/sources/inspected-connections.ts'
import { createEventsFollower } from './runtime/logs/sources/security-events.ts'
import { webAccessFile } from './runtime/logs/sources/web-requests.ts'
import { serviceFiles } from './system/service-logs.ts'

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
