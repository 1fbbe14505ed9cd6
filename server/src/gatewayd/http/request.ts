// From a raw request to a checked one: framing that Node lets pass, the session behind the cookies, access, and the
// headers that steer a change. Every refusal is a GatewayError.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type CookieNames, readCookies } from '../../core/area/cookies.ts'
import type { Identity } from '../../core/area/handle.ts'
import { probationSeconds } from '../../core/config/probation.ts'
import { type Access, mayUse } from '../../core/contract/access.ts'
import { eventStreamType, freshSignInSeconds } from '../../core/contract/endpoint.ts'
import { GatewayError, invalid } from '../../core/contract/error.ts'
import { plainText } from '../../core/contract/fields.ts'
import { type Slot, versionOf } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import type { Coding } from './encoding.ts'

const maxHeaders = 100

/** Two readings of one request are how smuggling starts: refuse what has them. */
export function checkFraming(raw: IncomingMessage): void {
  if (hasTooManyHeaders(raw)) throw new GatewayError('malformed', say`The request has too many headers.`)
  if (hostsIn(raw) !== 1) throw new GatewayError('malformed', say`The request must name one host.`)
}

/** Whether checkFraming() lets it pass. */
export const hasPlainFraming = (raw: IncomingMessage): boolean => !hasTooManyHeaders(raw) && hostsIn(raw) === 1

const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length / 2 > maxHeaders

function hostsIn({ rawHeaders }: IncomingMessage): number {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 'host'.length && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** IPv4 in its IPv6 form is the same address; without this one client could count as two. */
export const plainAddress = (address: string | undefined): string => (address ?? '').replace(/^::ffff:/i, '')

/** Header of a read that does not prolong the session: what a page asks for by itself is not the work of its administrator. */
export const backgroundHeader = 'portcullis-background'

export type FindIdentity = (request: Pick<IncomingMessage, 'method' | 'headers'>) => Identity | null

/**
 * Cookie headers seen before, so that they are not hashed again for an active client. Whether the session is still valid is
 * asked every time.
 */
export function createIdentityFinder(
  names: CookieNames,
  open: (session: string, secures: ReadonlyMap<string, string>, isActivity: boolean) => Identity | null,
  refresh: (identity: Identity, isActivity: boolean) => Identity | null,
): FindIdentity {
  const seen = new Map<string, Identity>()
  const maxSeen = 1_000
  return ({ method, headers }) => {
    const header = headers.cookie
    if (header === undefined) return null
    const isActivity = !(isReading(method) && isBackground(headers))
    const known = seen.get(header)
    if (known) {
      const current = refresh(known, isActivity)
      if (current !== known) seen.delete(header)
      if (current) seen.set(header, current)
      return current
    }
    const presented = readCookies(names, header)
    const identity = presented && open(presented.session, presented.secures, isActivity)
    if (identity) {
      if (seen.size >= maxSeen) seen.clear()
      seen.set(header, identity)
    }
    return identity
  }
}

/** A browser opens an event stream again by itself, and without headers of ours. */
const isBackground = (headers: IncomingHttpHeaders): boolean =>
  headers[backgroundHeader] === '1' || headers.accept === eventStreamType

const isReading = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD'

export function checkAccess(identity: Identity | null, access: Access): void {
  if (access === 'public') return
  if (!identity) throw new GatewayError('unauthenticated', say`There is no valid session. Sign in first.`)
  if (!mayUse(identity.role, access)) {
    throw new GatewayError('forbidden', say`Your role does not allow this.`)
  }
}

/** `elapsed` is the clock sessions are measured with; being active does not make a sign-in fresh again. */
export function checkFreshSignIn(identity: Identity | null, elapsed: number): void {
  if (identity && elapsed - identity.session.createdAt < freshSignInSeconds) return
  const minutes = freshSignInSeconds / 60
  throw new GatewayError(
    'unauthenticated',
    say`This needs a sign-in within the last ${minutes} minutes. Sign in again.`,
  )
}

export interface ChangeHeaders {
  readonly confirmWithinSeconds?: number
  readonly reason?: string
  readonly expectedRevision?: number
}

/** Header of a change that is reverted unless POST /config/confirm comes within that many seconds. */
export const confirmHeader = 'portcullis-confirm-within'
/** Header with the reason the revision keeps. */
export const reasonHeader = 'portcullis-reason'

const reasonForm = new RegExp(plainText, 'u')

export function readChangeHeaders(headers: IncomingMessage['headers'], slot: Slot | null): ChangeHeaders {
  return {
    ...readConfirm(headers[confirmHeader]),
    ...readReason(headers[reasonHeader]),
    ...readIfMatch(headers['if-match'], slot),
  }
}

function readConfirm(value: string | string[] | undefined): Pick<ChangeHeaders, 'confirmWithinSeconds'> {
  if (value === undefined) return {}
  const seconds = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (!(seconds >= probationSeconds.minimum && seconds <= probationSeconds.maximum)) {
    throw invalid(
      'Portcullis-Confirm-Within',
      say`Must be a number of seconds from ${probationSeconds.minimum} to ${probationSeconds.maximum}.`,
    )
  }
  return { confirmWithinSeconds: seconds }
}

function readReason(value: string | string[] | undefined): Pick<ChangeHeaders, 'reason'> {
  if (value === undefined) return {}
  // HTTP hands header bytes over as Latin-1; the text inside is UTF-8.
  const reason = typeof value === 'string' ? Buffer.from(value, 'latin1').toString('utf8') : ''
  if (!reasonForm.test(reason) || [...reason].length > 255 || reason === '') {
    throw invalid('Portcullis-Reason', say`Must be one line of at most 255 characters.`)
  }
  return { reason }
}

/** A later version of the slot shows the same revision in another form, so it has other tags. */
const tagPrefix = (slot: Slot): string => (versionOf(slot) === 1 ? slot.key : `${slot.key}.v${versionOf(slot)}`)

export const etagOf = (slot: Slot, revision: number): string => `"${tagPrefix(slot)}-${revision}"`

/** The same state in a content coding is another sequence of bytes, so it has another tag. */
export const etagWith = (tag: string, coding: Coding): string => `${tag.slice(0, -1)}-${coding}"`

const codingAtEnd = /-(?:zstd|gzip|br)"$/

/** The tag of `If-None-Match` that names this state, in whatever coding the client has it; null when none does. */
export function matchingTag(header: string | undefined, etag: string): string | null {
  if (header === undefined) return null
  if (header === etag || header.trim() === '*') return etag
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.find((tag) => tag.replace(codingAtEnd, '"') === etag) ?? null
}

export function readIfMatch(value: string | undefined, slot: Slot | null): Pick<ChangeHeaders, 'expectedRevision'> {
  if (value === undefined || value === '*') return {}
  const tag = value.trim().replace(codingAtEnd, '"')
  const prefix = slot ? `"${tagPrefix(slot)}-` : ''
  const revision = slot && tag.startsWith(prefix) ? /^(\d{1,15})"$/.exec(tag.slice(prefix.length)) : null
  // A tag that was never ours cannot match anything.
  return { expectedRevision: revision ? Number(revision[1]) : -1 }
}
