// The sessions of this account on disk, one per gateway: address, cookies and the certificates that were trusted. Readable by
// its owner only, written atomically.

import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import type { Environment } from '../context.ts'
import { codeOf, refused } from '../failure.ts'
import type { ShownCertificate } from './connection.ts'

export interface SavedSession {
  readonly login: string
  /** Value of the Cookie header. */
  readonly cookie: string
}

export interface SavedSessions {
  /** The address of the last sign-in; null: there was none. */
  readonly last: string | null
  /** Address to session; signing out removes it. */
  readonly sessions: Readonly<Record<string, SavedSession>>
  /** Address to SHA-256 fingerprint; stays after signing out, so that another certificate is noticed at the next sign-in. */
  readonly certificates: Readonly<Record<string, string>>
  /** Address to SHA-256 of the root's public key; a certificate that this key signed is a renewal. */
  readonly roots: Readonly<Record<string, string>>
}

const nothing: SavedSessions = { last: null, sessions: {}, certificates: {}, roots: {} }

/** What was trusted at an address, or undefined. */
export function trustedAt(saved: SavedSessions, address: string): ShownCertificate | undefined {
  const fingerprint = saved.certificates[address]
  return fingerprint === undefined ? undefined : { fingerprint, rootKey: saved.roots[address] ?? null }
}

/** With the certificate of one address. */
export const withTrusted = (
  saved: SavedSessions,
  address: string,
  { fingerprint, rootKey }: ShownCertificate,
): SavedSessions => ({
  ...saved,
  certificates: { ...saved.certificates, [address]: fingerprint },
  roots: { ...saved.roots, ...(rootKey === null ? {} : { [address]: rootKey }) },
})

/** After a sign-in, which makes this gateway the last one. */
export const withSession = (saved: SavedSessions, address: string, session: SavedSession): SavedSessions => ({
  ...saved,
  last: address,
  sessions: { ...saved.sessions, [address]: session },
})

export function withoutSession(saved: SavedSessions, address: string): SavedSessions {
  const { [address]: _ended, ...sessions } = saved.sessions
  return { ...saved, sessions }
}

/** XDG base directories: a relative path there does not count. */
export function sessionPath(env: Environment): string {
  const given = env.XDG_CONFIG_HOME
  const base = given !== undefined && isAbsolute(given) ? given : join(env.HOME || homedir(), '.config')
  return join(base, 'portcullis', 'session.json')
}

export function readSessions(env: Environment): SavedSessions {
  const path = sessionPath(env)
  try {
    return parseSessions(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return nothing
    throw refused(`The sessions in ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** A damaged file counts as no session; one of an older gw has a single session, with the fields of one beside `address`. */
function parseSessions(saved: unknown): SavedSessions {
  if (!isRecord(saved) || !isRecord(saved.certificates)) return nothing
  const { address, last = address } = saved
  const own = typeof address === 'string' ? { [address]: saved } : saved.sessions
  const sessions = isRecord(own) ? Object.entries(own).flatMap(([at, value]) => entryOf(at, value)) : []
  return {
    last: typeof last === 'string' ? last : null,
    sessions: Object.fromEntries(sessions),
    certificates: textsOf(saved.certificates),
    roots: textsOf(saved.roots),
  }
}

function entryOf(address: string, value: unknown): [string, SavedSession][] {
  if (!isRecord(value) || typeof value.cookie !== 'string') return []
  return [[address, { login: typeof value.login === 'string' ? value.login : '', cookie: value.cookie }]]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )

/** Of the file as it is now: another gw may have signed in to another gateway in the meantime. */
export function changeSessions(env: Environment, change: (saved: SavedSessions) => SavedSessions): void {
  const path = sessionPath(env)
  const draft = `${path}.${process.pid}.new`
  const sessions = change(readSessions(env))
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    chmodSync(dirname(path), 0o700)
    writeFileSync(draft, `${JSON.stringify(sessions, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch (error) {
    throw refused(`The session cannot be saved in ${path}: ${(error as Error).message}`)
  }
}
