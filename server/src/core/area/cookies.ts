// The two session cookies: their names, what they look like when set and cleared, and how a Cookie header is read.

import { say } from '../../shared/said.ts'
import type { SessionTokens } from '../accounts/sessions.ts'
import { invalid } from '../contract/error.ts'

const longestCookie = 200

export interface CookieNames {
  readonly session: string
  readonly securePrefix: string
}

export const cookieNames = (brand: string): CookieNames => ({
  session: `insecure-${brand}-session`,
  securePrefix: `__Secure-${brand}-`,
})

export interface PresentedCookies {
  readonly session: string
  /** Second halves by the uuid in their names; a browser may still hold some of sessions that are over. */
  readonly secures: ReadonlyMap<string, string>
}

/** Null when the header cannot belong to a session: a half missing, repeated or far too long. */
export function readCookies(names: CookieNames, header: string | undefined): PresentedCookies | null {
  if (!header) return null
  let session: string | null = null
  const secures = new Map<string, string>()
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at < 0) continue
    const name = part.slice(0, at).trim()
    const value = part.slice(at + 1).trim()
    const isSecure = name.startsWith(names.securePrefix)
    if (name !== names.session && !isSecure) continue
    if (part.length > longestCookie) return null
    if (isSecure) {
      const key = name.slice(names.securePrefix.length)
      if (secures.has(key)) return null
      secures.set(key, value)
      continue
    }
    if (session !== null) return null
    session = value
  }
  return session === null || secures.size === 0 ? null : { session, secures }
}

const restPathForm = /^(?:\/[A-Za-z0-9._~-]{1,64}){0,4}\/?$/

/** `rest_path` goes into a header: only plain path segments pass. */
export function checkRestPath(path: string): string {
  const isPlain = restPathForm.test(path) && path.startsWith('/') && !path.split('/').includes('..')
  if (!isPlain) throw invalid('rest_path', say`Must be a plain path such as / or /rest.`)
  return path
}

/** What the sign-in area needs of cookies. */
export interface CookieJar {
  readonly checkRestPath: (path: string) => string
  readonly set: (tokens: SessionTokens, path: string) => string[]
  readonly clear: (presented: string | undefined, path: string) => string[]
}

export const createCookieJar = (names: CookieNames): CookieJar => ({
  checkRestPath,
  set: (tokens, path) => setCookies(names, tokens, path),
  clear: (presented, path) => {
    // The names come from the request: only those that can be ours go into a header.
    const secures = [...(readCookies(names, presented)?.secures.keys() ?? [])].filter((name) => uuidForm.test(name))
    return clearCookies(names, secures, path)
  },
})

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const setCookies = (names: CookieNames, tokens: SessionTokens, path: string): string[] => [
  `${names.session}=${tokens.session}; HttpOnly; Path=${path}; SameSite=Strict; Secure`,
  `${names.securePrefix}${tokens.secureName}=${tokens.secureValue}; HttpOnly; Path=${path}; SameSite=Strict; Secure`,
]

/** Both at `/` (docs/behaviour/api.md 4), and at the path they were set for. */
export function clearCookies(names: CookieNames, secureNames: readonly string[], path: string): string[] {
  const paths = path === '/' ? ['/'] : ['/', path]
  return paths.flatMap((p) => [
    `${names.session}=""; expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=${p}`,
    ...secureNames.map((n) => `${names.securePrefix}${n}=""; HttpOnly; Max-Age=0; Path=${p}; SameSite=Strict; Secure`),
  ])
}
