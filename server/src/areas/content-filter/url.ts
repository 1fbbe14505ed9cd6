// A URL as an administrator writes it in a question: whole, or a name with or without a path. The path stays as it is sent, as
// a request would have it. Pure.

import { canonicalHost, isAddressHost, isHost } from '../../domain/web-filter/hosts.ts'

export interface AskedUrl {
  readonly url: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
  /** With the query. */
  readonly path: string
}

/** A name that ends so is an address, or nothing. */
const isNumber = /(?:^|\.)\d+$/

const defaultPorts = { http: 80, https: 443 } as const

/** Null when it is not a URL of the web. */
export function readUrl(text: string): AskedUrl | null {
  const trimmed = text.trim()
  const prefix = /^[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(trimmed)?.[0] ?? ''
  const scheme = prefix === '' ? 'http' : prefix.slice(0, -3).toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') return null
  const rest = trimmed.slice(prefix.length).split('#', 1)[0] ?? ''
  const end = rest.search(/[/?]/)
  const authority = end === -1 ? rest : rest.slice(0, end)
  const digits = /^(?:[^:]*|\[[^\]]*\]):(\d{1,5})$/.exec(authority)?.[1]
  const port = digits === undefined ? defaultPorts[scheme] : Number(digits)
  const host = canonicalHost(digits === undefined ? authority : authority.slice(0, -digits.length - 1))
  if (!isHost(host) || (isNumber.test(host) && !isAddressHost(host)) || port < 1 || port > 65_535) return null
  const tail = end === -1 ? '/' : rest.slice(end)
  const path = tail.startsWith('?') ? `/${tail}` : tail
  const shownPort = port === defaultPorts[scheme] ? '' : `:${port}`
  return { url: `${scheme}://${host}${shownPort}${path}`, scheme, host, port, path }
}
