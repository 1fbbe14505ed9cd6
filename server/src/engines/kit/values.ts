// Values out of what gatewayd sends: each is of its type and within bounds, or refused with a sentence.

import { isIP } from 'node:net'
import { deviceForm } from './tables.ts'

/** The message goes back to the caller as it is. */
export class Refusal extends Error {}
/** A change refers to a plan that this connection did not send last: the plan must be sent in full. */
export class UnknownPiece extends Refusal {}

const textLimit = 32 * 1024 * 1024
export const hashForm = /^[0-9a-f]{64}$/
export const hashFault = 'hash is not a SHA-256 in hex'

export function parseName(value: unknown, known: Iterable<string>): string {
  for (const name of known) if (name === value) return name
  throw new Refusal('The plan names an artifact that is not in the tables.')
}

export function parseText(value: unknown): string {
  if (typeof value === 'string' && value.length <= textLimit && value.isWellFormed()) return value
  throw new Refusal('The content of an artifact is not text or is too large.')
}

export const parseDevice = (value: unknown): string => parseForm(value, deviceForm, 'name of a device is not allowed')

export function parseAddress(value: unknown): string {
  if (typeof value === 'string' && isIP(value) !== 0 && !value.includes('%')) return value
  throw new Refusal('Not a valid IP address.')
}

/** An address with a prefix length. */
export function parseNetwork(value: unknown): string {
  const [address, length = '', ...rest] = typeof value === 'string' ? value.split('/') : []
  const limit = isIP(parseAddress(address)) === 4 ? 32 : 128
  if (rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= limit) return `${address}/${Number(length)}`
  throw new Refusal('The prefix length of an address is missing or not valid.')
}

export function parseForm(value: unknown, form: RegExp, fault: string): string {
  if (typeof value === 'string' && form.test(value)) return value
  throw new Refusal(`The ${fault}.`)
}

export function parseOneOf<T extends string | boolean>(value: unknown, known: readonly T[], what: string): T {
  for (const one of known) if (one === value) return one
  throw new Refusal(`The ${what} must be one of ${known.join(', ')}.`)
}

export function parseList<T>(value: unknown, limit: number, what: string, parse: (item: unknown) => T): T[] {
  if (!Array.isArray(value) || value.length > limit)
    throw new Refusal(`The ${what} must be a list of at most ${limit} entries.`)
  return value.map(parse)
}

export function parseCount(value: unknown, what: string, limit = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= limit) return value
  throw new Refusal(`The ${what} is not a valid number.`)
}

/** Exactly these keys, no more and no fewer. */
export function parseKeys<K extends string>(value: unknown, keys: readonly K[]): Record<K, unknown> {
  const own = typeof value === 'object' && value && !Array.isArray(value) ? Object.keys(value) : ['no object']
  if (own.length !== keys.length || !keys.every((key) => own.includes(key)))
    throw new Refusal(`The keys must be exactly these: ${keys.join(', ') || 'none'}.`)
  return value as Record<K, unknown>
}
