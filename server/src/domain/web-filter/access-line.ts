// One line of the access log of the web proxy. Its content comes from clients and sites, and so is not trusted: every value is
// checked for its form and cut to a length, and a line with a fault is not a request. Pure.

/** As the journal shows it (docs/behaviour/web-log.md). */
export const webResults = ['allowed', 'decrypted', 'denied', 'redirected'] as const
export type WebResult = (typeof webResults)[number]

export const webReasons = ['rule', 'default', 'safe-search', 'words', 'virus', 'certificate', 'failure'] as const
export type WebReason = (typeof webReasons)[number]

export interface WebRequest {
  /** Unix microseconds at which it ended. */
  readonly time: number
  readonly durationMs: number
  readonly source: string
  /** Empty for the direct proxy. */
  readonly destination: string
  readonly via: 'transparent' | 'direct'
  readonly login: string
  /** `user.id.5` */
  readonly userId: string
  readonly method: string
  readonly scheme: 'http' | 'https'
  /** In lower case. */
  readonly host: string
  /** As sent; of a connection that was not decrypted `https://<host>/`. */
  readonly url: string
  /** Ids. */
  readonly categories: readonly string[]
  /** Of the rule that decided; 0: none. */
  readonly ruleId: number
  readonly result: WebResult
  readonly reason: WebReason
  readonly isDecrypted: boolean
  /** 0: nothing was answered, or only the ends of the connection know. */
  readonly status: number
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly contentType: string
  readonly dictionary: string
  readonly virus: string
  readonly userAgent: string
  readonly referer: string
}

/** `aside`: a line of the log that is not a request for itself. */
export type AccessLine = { readonly is: 'request'; readonly request: WebRequest } | { readonly is: 'aside' | 'fault' }

/** Longer lines are not looked at. */
const longestLine = 64 * 1024
const longestUrl = 2_000
const longestText = 300

const [aside, fault] = [{ is: 'aside' }, { is: 'fault' }] as const

type Fields = Readonly<Record<string, unknown>>

/** The line without its end, as latin1 or UTF-8: all that is not ASCII is percent-encoded in a line of the proxy. */
export function parseAccessLine(line: string): AccessLine {
  const fields = line.length > longestLine ? null : parseFields(line)
  if (!fields) return fault
  const seconds = numberOf(fields.t, 7_258_118_400)
  const source = wordOf(fields.src)
  const method = textOf(fields.m, 32).toUpperCase()
  if (seconds === null || !addressForm.test(source) || !methodForm.test(method)) return fault
  const known = { fields, method, tls: lastOf(wordOf(fields.tls)).split(':')[0] ?? '', err: errorOf(fields) }
  if (isAside(known)) return aside
  const place = placeOf(known)
  if (!place) return fault
  const [result, reason] = judgedAs(known)
  const userId = wordOf(fields.uid)
  const rule = numberOf(Number(lastOf(wordOf(fields.rule)) || Number.NaN), Number.MAX_SAFE_INTEGER)
  const isDirect = wordOf(fields.via) === 'direct'
  const destination = wordOf(fields.dst)
  return {
    is: 'request',
    request: {
      time: Math.round(seconds * 1_000) * 1_000,
      durationMs: amountOf(fields.ms),
      source,
      destination: isDirect || !addressForm.test(destination) ? '' : destination,
      via: isDirect ? 'direct' : 'transparent',
      login: textOf(fields.user, 128),
      userId: /^user\.id\.\d{1,12}$/.test(userId) ? userId : '',
      method,
      ...place,
      categories: categoriesOf(fields),
      ruleId: rule ?? 0,
      result,
      reason,
      isDecrypted: isInside(known),
      status: numberOf(fields.st, 999) ?? 0,
      bytesSent: amountOf(fields.in),
      bytesReceived: amountOf(fields.out),
      contentType: textOf(fields.ct, 100).toLowerCase(),
      dictionary: textOf(fields.words, longestText),
      virus: textOf(fields.virus, longestText),
      userAgent: textOf(fields.ua, longestText),
      referer: textOf(fields.ref, longestUrl),
    },
  }
}

const addressForm = /^[0-9a-fA-F:.]{2,45}$/
const methodForm = /^[A-Z][A-Z0-9_-]{0,31}$/

interface Known {
  readonly fields: Fields
  readonly method: string
  /** What was decided of the TLS connection: splice, bump, deny, down, full or nothing. */
  readonly tls: string
  /** Without the status before it, such as ERR_CONNECT_FAIL. */
  readonly err: string
}

const isTunnel = ({ method, tls, fields }: Known): boolean =>
  method === 'CONNECT' && (tls !== '' || wordOf(fields.mode) !== '' || wordOf(fields.v) === '')

/** A request inside of a connection that was decrypted. */
const isInside = ({ method, tls }: Known): boolean => method !== 'CONNECT' && tls !== ''

/** The site could not be reached, or its certificate is not valid. */
const originFaults =
  /^ERR_(CONNECT_FAIL|SECURE_CONNECT_FAIL|DNS_FAIL|CANNOT_FORWARD|READ_ERROR|WRITE_ERROR|ZERO_SIZE_OBJECT)$/

/**
 * The proxy writes a line for a TLS connection when it knows what becomes of it, and then one for each request that it decrypts
 * there. The connection is a record for itself where no request can follow: it was passed on as it is (then its line comes at its
 * end), the client refused the certificate (ERR_SECURE_ACCEPT_FAIL), or the site could not be reached. In the last case the
 * proxy may decrypt one request only to answer it with that fault: the record of the connection is enough.
 */
function isAside(known: Known): boolean {
  const { fields, err } = known
  if (isInside(known)) return wordOf(fields.v) === '' && originFaults.test(err)
  if (!isTunnel(known)) return false
  return wordOf(fields.mode) === 'bump' && err === ''
}

const certificateFaults = /^ERR_SECURE_(ACCEPT|CONNECT)_FAIL$/

function judgedAs(known: Known): readonly [WebResult, WebReason] {
  const { fields, tls, err } = known
  const [request, reply] = [lastOf(wordOf(fields.v)), lastOf(wordOf(fields.vr))]
  const why = reasonOf(fields)
  const verdicts = isTunnel(known) ? [tls, request] : [request, reply]
  if (verdicts.includes('deny')) return ['denied', why]
  if (verdicts.includes('redirect')) return ['redirected', why]
  if (verdicts.includes('full')) return ['denied', 'failure']
  if (verdicts.includes('down') && isRefused(fields)) return ['denied', 'failure']
  if (wordOf(fields.virus) !== '') return ['denied', 'virus']
  if (wordOf(fields.words) !== '') return ['denied', 'words']
  if (certificateFaults.test(err)) return ['denied', 'certificate']
  // Nothing passed: the site was not reached, or the client left before anything was decided.
  if (err !== '' && (isRefused(fields) || request === '') && !isOpen(known)) return ['denied', 'failure']
  return [isInside(known) ? 'decrypted' : 'allowed', verdicts.includes('down') ? 'failure' : why]
}

/** No answer, or one of the proxy itself. */
const isRefused = (fields: Fields): boolean => {
  const status = numberOf(fields.st, 999) ?? 0
  return status === 0 || status >= 400
}

/** A connection that was passed on has an answer, whatever ended it; a page of the proxy itself has the status of a refusal. */
const isOpen = (known: Known): boolean =>
  isTunnel(known) && amountOf(known.fields.out) > 0 && (numberOf(known.fields.st, 999) ?? 0) < 400

function reasonOf(fields: Fields): WebReason {
  const why = lastOf(wordOf(fields.why))
  return webReasons.find((reason) => reason === why) ?? 'default'
}

function placeOf(known: Known): Pick<WebRequest, 'scheme' | 'host' | 'url'> | null {
  const url = textOf(known.fields.u, longestUrl)
  if (known.method === 'CONNECT') {
    const sent = /^(\[[0-9a-fA-F:.]{2,45}\]|[^:/\s]{1,255}):\d{1,5}$/.exec(url)?.[1] ?? ''
    const host = hostOf(textOf(known.fields.sni, 255)) || hostOf(sent)
    return host === '' ? null : { scheme: 'https', host, url: `https://${host}/` }
  }
  const [, scheme = '', authority = ''] = /^(https?):\/\/([^/?#]{1,300})/i.exec(url) ?? []
  const host = hostOf(authority.replace(/^[^@]*@/, '').replace(/:\d{1,5}$/, ''))
  if (host !== '') return { scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http', host, url }
  // A request that is not one of HTTP has only the place it was sent to.
  const destination = wordOf(known.fields.dst)
  return addressForm.test(destination) ? { scheme: 'http', host: destination, url } : null
}

/** Names are compared in lower case and without a dot at their end; what is neither a name nor an address is cut out. */
const hostOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^\[([0-9a-f:.]+)\]$/, '$1')
    .replaceAll(/[^\p{L}\p{N}.:_-]/gu, '')
    .slice(0, 253)
    .replace(/\.$/, '')

const mostCategories = 50

function categoriesOf(fields: Fields): string[] {
  const ids = decoded(wordOf(fields.cat))
    .split(',')
    .filter((id) => /^[a-z]{1,20}\.id\.\d{1,9}$/.test(id))
  return [...new Set(ids)].slice(0, mostCategories)
}

/** `403:ERR_BLOCK` where the page has a status. */
const errorOf = (fields: Fields): string => /(?:^|:)(ERR_[A-Z_]{1,60})$/.exec(wordOf(fields.err))?.[1] ?? ''

/** What was said several times about a request is joined by commas: the last counts. */
const lastOf = (text: string): string => text.slice(text.lastIndexOf(',') + 1)

function parseFields(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}

/** `-` stands for nothing. */
const wordOf = (value: unknown): string => (typeof value === 'string' && value !== '-' ? decoded(value) : '')

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** One line without control characters. */
const textOf = (value: unknown, most: number): string => {
  const text = wordOf(value)
  return text === '' ? '' : text.slice(0, most).replaceAll(unprintable, '\ufffd')
}

/** Bytes that are not UTF-8 become replacement characters. */
function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return Buffer.from(
      text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
      'latin1',
    ).toString('utf8')
  }
}

const numberOf = (value: unknown, most: number): number | null =>
  typeof value === 'number' && value >= 0 && value <= most ? value : null

/** Bytes or milliseconds; a terabyte and more is cut. */
const amountOf = (value: unknown): number => {
  const amount = typeof value === 'number' && value > 0 ? Math.floor(value) : 0
  return Math.min(amount, 2 ** 40)
}
