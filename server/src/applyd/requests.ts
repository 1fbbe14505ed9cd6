// Strict reading of what gatewayd sends: every key known, every value of its type and within bounds, every name in
// the tables. The result is built only from the parts that were checked.

import type { TrialPacket } from '../core/plan/artifacts.ts'
import type { Verb, VerbTable } from '../core/plan/verbs.ts'
import type { Tables } from '../engines/kit/tables.ts'
import {
  hashFault,
  hashForm,
  parseAddress,
  parseCount,
  parseDevice,
  parseForm,
  parseKeys,
  parseList,
  parseOneOf,
  Refusal,
} from '../engines/kit/values.ts'
import { parseLiveChanges, parseLiveSets, parseTargets } from './live/requests.ts'
import { createPlanReader } from './wire/plan.ts'

const packetLimit = 500

export type ArgumentParsers = { readonly [V in Verb]: (args: unknown) => VerbTable[V]['args'] }

/** For one connection, whose plans refer to each other. */
export function argumentParsers(tables: Tables): Omit<ArgumentParsers, 'ask' | 'upgrade'> {
  const readPlan = createPlanReader(tables)
  return {
    check: readPlan,
    apply: readPlan,
    attempt: readPlan,
    settle: parseRevision,
    undo: parseRevision,
    observe: (args) => parseKeys(args, []),
    devices: (args) => parseKeys(args, []),
    hits: (args) => parseKeys(args, []),
    sessions: (args) => parseKeys(args, []),
    sessionPart: (args) => ({ reading: parseCount(parseKeys(args, ['reading']).reading, 'reading') }),
    changeLive: parseLiveChanges,
    readLive: parseLiveSets,
    arrivals: (args) => parseKeys(args, []),
    cut: parseTargets,
    machine: (args) => parseKeys(args, []),
    neighbours: (args) => parseKeys(args, []),
    trial: (args) => ({
      packets: parseList(parseKeys(args, ['packets']).packets, packetLimit, 'packets', parsePacket),
    }),
    checkpoint: parseCheckpoint,
    checkpoints: (args) => parseKeys(args, []),
  }
}

function parseRevision(value: unknown): { revision: number } {
  return { revision: parseCount(parseKeys(value, ['revision']).revision, 'revision') }
}

function parseCheckpoint(value: unknown): { sequence: number; hash: string; isFirst: boolean } {
  const { sequence, hash, isFirst } = parseKeys(value, ['sequence', 'hash', 'isFirst'])
  if (typeof isFirst !== 'boolean') throw new Refusal('The field isFirst is not true or false.')
  return {
    sequence: parseCount(sequence, 'sequence'),
    hash: parseForm(hash, hashForm, hashFault),
    isFirst,
  }
}

function parsePacket(value: unknown): TrialPacket {
  const keys = ['device', 'protocol', 'source', 'sourcePort', 'destination', 'destinationPort'] as const
  const packet = parseKeys(value, keys)
  return {
    device: parseDevice(packet.device),
    protocol: parseOneOf(packet.protocol, ['tcp', 'udp'], 'protocol'),
    source: parseAddress(packet.source),
    sourcePort: parseCount(packet.sourcePort, 'port', 65_535),
    destination: parseAddress(packet.destination),
    destinationPort: parseCount(packet.destinationPort, 'port', 65_535),
  }
}
