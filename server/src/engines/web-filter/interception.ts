// The way of packets to the web proxy, as a plan names it.

import type { EngineWay } from '../../core/plan/artifacts.ts'

export const interceptionWay = 'interception'

/** Packets with the mark of interception are delivered to the gateway itself. */
export const leadToProxy: EngineWay = { kind: 'way', name: interceptionWay, entries: [] }
