// Strict reading of requests for live sets and connections: known sets, IPv4 addresses, MAC addresses in one form, devices,
// bounded times, and exactly the parts of a key that the set has.

import { isIPv4 } from 'node:net'
import type { CutTarget, LiveChange, LiveElement } from '../../core/plan/artifacts.ts'
import { isLimitSet, isMemberSet, type LiveKey, liveSets } from '../../core/plan/live-sets.ts'
import {
  parseAddress,
  parseCount,
  parseDevice,
  parseForm,
  parseKeys,
  parseList,
  parseOneOf,
  Refusal,
} from '../../engines/kit/values.ts'

/** Sets of a request, and elements of all of them together. */
const setLimit = 20_000
const elementLimit = 50_000
const targetLimit = 50_000
const longestSeconds = 7 * 86_400
const longestSetName = 40
const macForm = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/

/** Null when there is no such live set. */
export function liveKeyOf(set: string): LiveKey | null {
  for (const [name, key] of Object.entries(liveSets)) if (name === set) return key
  if (isLimitSet(set)) return 'host'
  return set.length <= longestSetName && isMemberSet(set) ? 'host' : null
}

function parseSet(value: unknown): string {
  if (typeof value === 'string' && liveKeyOf(value) !== null) return value
  throw new Refusal('There is no live set of this name.')
}

function parseAddress4(value: unknown): string {
  const address = parseAddress(value)
  if (isIPv4(address)) return address
  throw new Refusal('Not a valid IPv4 address.')
}

function parseSeconds(value: unknown): number | null {
  const seconds = value === null ? null : parseCount(value, 'time of an element', longestSeconds)
  if (seconds === 0) throw new Refusal('The time of an element is not a valid number.')
  return seconds
}

/** A part that the key does not have must be null. */
function parsePart(value: unknown, isPart: boolean, parse: (value: unknown) => string): string | null {
  if (isPart) return parse(value)
  if (value === null) return null
  throw new Refusal('An element has a part that the key of its set does not have.')
}

function parseElement(value: unknown, key: LiveKey): LiveElement {
  const { address, mac, device, seconds } = parseKeys(value, ['address', 'mac', 'device', 'seconds'])
  return {
    address: parseAddress4(address),
    mac: parsePart(mac, key !== 'host', (text) => parseForm(text, macForm, 'MAC address of an element is not valid')),
    device: parsePart(device, key === 'seen', parseDevice),
    seconds: parseSeconds(seconds),
  }
}

export function parseLiveChanges(args: unknown): { changes: readonly LiveChange[] } {
  let count = 0
  const parseElements = (value: unknown, key: LiveKey): LiveElement[] => {
    const elements = parseList(value, elementLimit - count, 'elements', (element) => parseElement(element, key))
    count += elements.length
    return elements
  }
  const parseChange = (value: unknown): LiveChange => {
    const { set, add, remove } = parseKeys(value, ['set', 'add', 'remove'])
    const name = parseSet(set)
    const key = liveKeyOf(name) ?? 'host'
    return { set: name, add: parseElements(add, key), remove: parseElements(remove, key) }
  }
  const changes = parseList(parseKeys(args, ['changes']).changes, setLimit, 'changes', parseChange)
  if (new Set(changes.map(({ set }) => set)).size < changes.length)
    throw new Refusal('A live set is listed more than once.')
  return { changes }
}

export const parseLiveSets = (args: unknown): { sets: readonly string[] } => ({
  sets: [...new Set(parseList(parseKeys(args, ['sets']).sets, setLimit, 'sets', parseSet))],
})

function parseTarget(value: unknown): CutTarget {
  if (typeof value === 'object' && value !== null && 'host' in value)
    return { host: parseAddress(parseKeys(value, ['host']).host) }
  const keys = ['protocol', 'source', 'sourcePort', 'destination', 'destinationPort'] as const
  const target = parseKeys(value, keys)
  return {
    protocol: parseOneOf(target.protocol, ['tcp', 'udp'], 'protocol'),
    source: parseAddress(target.source),
    sourcePort: parseCount(target.sourcePort, 'port', 65_535),
    destination: parseAddress(target.destination),
    destinationPort: parseCount(target.destinationPort, 'port', 65_535),
  }
}

export const parseTargets = (args: unknown): { targets: readonly CutTarget[] } => ({
  targets: parseList(parseKeys(args, ['targets']).targets, targetLimit, 'targets', parseTarget),
})
