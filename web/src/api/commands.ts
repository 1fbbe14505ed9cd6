// One call as a command: curl and gw, quoted for the shell. Pure, so that what is shown is what would be sent.

import type { Endpoint } from '@gateway/server/contract'

export interface Command {
  readonly name: 'curl' | 'gw'
  readonly text: string
}

export interface CommandOptions {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly etag?: string | null
  readonly reason?: string
  readonly confirmWithin?: number | null
  readonly isCutting?: boolean
  /** Scheme and host of the gateway; the page's own when absent. */
  readonly origin?: string
}

/** What the shell takes as one word, whatever is in it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function pathOf({ path }: Pick<Endpoint, 'path'>, { params = {}, query = {} }: CommandOptions): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? name)))
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(entries.map(([name, value]) => [name, written(value)]))
  return search.size === 0 ? filled : `${filled}?${search}`
}

export function commandsOf(
  endpoint: Pick<Endpoint, 'method' | 'path'>,
  options: CommandOptions = {},
): readonly Command[] {
  return [
    { name: 'curl', text: curlOf(endpoint, options) },
    { name: 'gw', text: gwOf(endpoint, options) },
  ]
}

function curlOf(endpoint: Pick<Endpoint, 'method' | 'path'>, options: CommandOptions): string {
  const { body, etag, reason, confirmWithin, isCutting, origin = globalThis.location?.origin ?? '' } = options
  const query = isCutting ? { ...options.query, cut_connections: true } : options.query
  const headers = [
    ...(etag ? [`If-Match: ${etag}`] : []),
    ...(reason ? [`Portcullis-Reason: ${reason}`] : []),
    ...(confirmWithin ? [`Portcullis-Confirm-Within: ${confirmWithin}`] : []),
  ]
  return [
    'curl -b session.txt',
    ...(endpoint.method === 'GET' ? [] : [`-X ${endpoint.method}`]),
    ...headers.map((header) => `-H ${shellWord(header)}`),
    shellWord(origin + pathOf(endpoint, { ...options, ...(query ? { query } : {}) })),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(JSON.stringify(body))}`]),
  ].join(' ')
}

/** Fields as words where that can be read back; lists and objects as JSON. */
function gwOf(endpoint: Pick<Endpoint, 'method' | 'path'>, options: CommandOptions): string {
  const { body, etag, reason, confirmWithin, isCutting } = options
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return [
    `gw ${endpoint.method.toLowerCase()}`,
    shellWord(pathOf(endpoint, options)),
    ...(isObject ? Object.entries(body).map(([name, value]) => shellWord(assignment(name, value))) : []),
    ...(body === undefined || isObject ? [] : [`--data ${shellWord(JSON.stringify(body))}`]),
    ...(etag ? [`--if-match ${shellWord(etag)}`] : []),
    ...(reason ? [`--reason ${shellWord(reason)}`] : []),
    ...(confirmWithin ? [`--confirm ${confirmWithin}`] : []),
    ...(isCutting ? ['--cut-connections'] : []),
  ].join(' ')
}

/** `name=value` is read by the type of the field; text that looks like something else is written as JSON. */
const assignment = (name: string, value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && !isAmbiguous(value))
    ? `${name}=${value}`
    : `${name}:=${JSON.stringify(value)}`

const isAmbiguous = (text: string): boolean => /^(null|true|false|-?\d+(\.\d+)?(e[+-]?\d+)?|[[{].*)$/is.test(text)
