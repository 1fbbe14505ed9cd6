// The session of this account on disk: address, cookies and the certificates that were trusted. Readable by its owner
// only, written atomically.

import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import type { Environment } from '../context.ts'
import { codeOf, refused } from '../failure.ts'
import type { ShownCertificate } from './connection.ts'

export interface SavedSession {
  readonly address: string
  readonly login: string
  /** Value of the Cookie header; null after signing out. */
  readonly cookie: string | null
  /** Address to SHA-256 fingerprint; stays after signing out, so that another certificate is noticed at the next sign-in. */
  readonly certificates: Readonly<Record<string, string>>
  /** Address to SHA-256 of the root's public key; a certificate that this key signed is a renewal. */
  readonly roots: Readonly<Record<string, string>>
}

/** What was trusted at an address, or undefined. */
export function trustedAt(session: SavedSession | null, address: string): ShownCertificate | undefined {
  const fingerprint = session?.certificates[address]
  return fingerprint === undefined ? undefined : { fingerprint, rootKey: session?.roots[address] ?? null }
}

/** Both records with the certificate of one address. */
export const withTrusted = (
  session: SavedSession | null,
  address: string,
  { fingerprint, rootKey }: ShownCertificate,
): Pick<SavedSession, 'certificates' | 'roots'> => ({
  certificates: { ...session?.certificates, [address]: fingerprint },
  roots: { ...session?.roots, ...(rootKey === null ? {} : { [address]: rootKey }) },
})

/** XDG base directories: a relative path there does not count. */
export function sessionPath(env: Environment): string {
  const given = env.XDG_CONFIG_HOME
  const base = given !== undefined && isAbsolute(given) ? given : join(env.HOME || homedir(), '.config')
  return join(base, 'portcullis', 'session.json')
}

export function readSession(env: Environment): SavedSession | null {
  const path = sessionPath(env)
  try {
    const saved = JSON.parse(readFileSync(path, 'utf8')) as Partial<SavedSession> | null
    const { address, login = '', cookie = null, certificates, roots } = saved ?? {}
    if (typeof address !== 'string' || typeof certificates !== 'object' || certificates === null) return null
    return { address, login, cookie, certificates, roots: typeof roots === 'object' && roots !== null ? roots : {} }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return null
    throw refused(`The session in ${path} cannot be read: ${(error as Error).message}`)
  }
}

export function writeSession(env: Environment, session: SavedSession): void {
  const path = sessionPath(env)
  const draft = `${path}.${process.pid}.new`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    chmodSync(dirname(path), 0o700)
    writeFileSync(draft, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch (error) {
    throw refused(`The session cannot be saved in ${path}: ${(error as Error).message}`)
  }
}
