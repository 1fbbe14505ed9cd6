// What the trial tool is given on its standard input, read strictly: it runs as root.

import { isIPv4 } from 'node:net'
import type { TrialPacket, TrialResult } from '../../core/plan/artifacts.ts'

export interface TrialInput {
  /** Everything nft has to load into the copy, as it would be loaded into the gateway. */
  readonly script: string
  readonly packets: readonly TrialPacket[]
}

/** The packet as it left the copy by a device, or as the copy itself took it (then `device` is null). */
export interface Arrival {
  readonly device: string | null
  readonly source: string
  readonly sourcePort: number
  readonly destination: string
  readonly destinationPort: number
}

/** `arrival` shows what address translation made of the packet; null when it did not pass. */
export interface DetailedResult extends TrialResult {
  readonly arrival: Arrival | null
}

export class InputFault extends Error {}

/** The number of a packet travels in the 16 bits of its IP identification; the last one is ours. */
export const maxPackets = 60_000

/** Names that mean nothing to the batch language of ip and to nft; a device with another name is not copied. */
export const isPlainDevice = (name: string): boolean => /^[A-Za-z0-9_.-]{1,15}$/.test(name)

export function parseInput(text: string): TrialInput {
  const { script, packets } = parseJson(text) as { readonly script?: unknown; readonly packets?: unknown }
  if (typeof script !== 'string') throw new InputFault('The script is not a text.')
  if (!Array.isArray(packets) || packets.length > maxPackets)
    throw new InputFault(`The packets are not a list of at most ${maxPackets}.`)
  return { script, packets: packets.map(parsePacket) }
}

const packetKeys = ['device', 'protocol', 'source', 'sourcePort', 'destination', 'destinationPort'] as const

function parsePacket(value: unknown): TrialPacket {
  const { device, protocol, source, sourcePort, destination, destinationPort } = parseKeys(value, packetKeys)
  if (typeof device !== 'string') throw new InputFault('A packet names no device.')
  if (protocol !== 'tcp' && protocol !== 'udp') throw new InputFault('A packet is neither TCP nor UDP.')
  return {
    device,
    protocol,
    source: parseAddress(source),
    sourcePort: parsePort(sourcePort),
    destination: parseAddress(destination),
    destinationPort: parsePort(destinationPort),
  }
}

function parseAddress(value: unknown): string {
  if (typeof value === 'string' && isIPv4(value)) return value
  throw new InputFault('A packet has an address that is not IPv4.')
}

function parsePort(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535) return value
  throw new InputFault('A packet has an invalid port.')
}

function parseJson(text: string): object {
  try {
    return Object(JSON.parse(text)) as object
  } catch {
    throw new InputFault('The input is not JSON.')
  }
}

function parseKeys<K extends string>(value: unknown, keys: readonly K[]): Record<K, unknown> {
  const own = typeof value === 'object' && value && !Array.isArray(value) ? Object.keys(value) : ['no object']
  if (own.length !== keys.length || !keys.every((key) => own.includes(key)))
    throw new InputFault(`Exactly these keys were expected: ${keys.join(', ')}.`)
  return value as Record<K, unknown>
}
