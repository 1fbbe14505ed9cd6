// Lines between the helper of the proxy and the decision process: what a question says, and how an answer is printed. Nothing
// of a client can end a line or add a field: fields are split at spaces before they are decoded, and values are printed with
// a short list of characters. Pure.

import type { FilterStage, FilterUser, FilterVerdict } from '../../domain/web-filter/model.ts'

/** What an ACL of that type says as its only word. */
export const askStages: ReadonlyMap<string, FilterStage> = new Map([
  ['TLS', 'tls'],
  ['REQ', 'request'],
  ['REP', 'reply'],
])

export interface AskLine {
  /** The channel of the helper; digits. */
  readonly id: string
  readonly stage: FilterStage
  readonly source: string
  readonly destination: string | null
  readonly port: number
  /** Of the TLS hello, decoded; null without one. */
  readonly serverName: string | null
  readonly method: string | null
  /** As sent, but for characters that the proxy escaped. */
  readonly url: string | null
  /** Headers as sent. */
  readonly requestType: string | null
  readonly replyType: string | null
  readonly language: string | null
  readonly length: number | null
  /** The port of the proxy that the client is connected to. */
  readonly listener: number
  /** What was decided about the TLS connection around this request; null in plain text. */
  readonly connection: { readonly verdict: string; readonly ruleId: number | null } | null
  /** The reply of the site goes on in chunks. */
  readonly isChunked: boolean
}

/** The channel of a line, also of one that is not a question; null when it has none. Squid counts all questions, up to 2^31. */
export function channelOf(line: string): string | null {
  return /^[0-9]{1,10}(?= |$)/.exec(line)?.[0] ?? null
}

/** Null when the line is not a question. */
export function parseAskLine(line: string): AskLine | null {
  const fields = line.split(' ')
  // The proxy ends a line with a space.
  if (fields.at(-1) === '') fields.pop()
  if (fields.length !== 18) return null
  const [id = '', stageName = '', source = '', destination, port = '', name, method, url] = fields
  const [, , , , , , , , requestType, replyType, language, length = '', listener = '', connection = ''] = fields
  const [version = '', status = '', replyLength = '', range = ''] = fields.slice(14)
  const stage = askStages.get(stageName)
  if (stage === undefined || channelOf(id) === null || !source) return null
  return {
    id,
    stage,
    source,
    destination: given(destination),
    port: numberOf(port) ?? 0,
    serverName: decoded(name),
    method: decoded(method),
    url: given(url),
    requestType: decoded(requestType),
    replyType: decoded(replyType),
    language: decoded(language),
    length: numberOf(length),
    listener: numberOf(listener) ?? 0,
    connection: connectionOf(connection),
    isChunked: stage === 'reply' && goesInChunks({ method, version, status, replyLength, range }),
  }
}

interface ReplyFields {
  readonly method: string | undefined
  readonly version: string
  readonly status: string
  readonly replyLength: string
  readonly range: string
}

/** As the proxy decides it: a body of a length that is not known, for a client that knows HTTP/1.1. */
const goesInChunks = ({ method, version, status, replyLength, range }: ReplyFields): boolean =>
  version !== '1.0' &&
  version !== '0.9' &&
  method !== 'HEAD' &&
  !/^(?:1[0-9]{2}|204|304)$/.test(status) &&
  numberOf(replyLength) === null &&
  !range.includes(',')

const given = (field: string | undefined): string | null => (field === undefined || field === '-' ? null : field)

const decoded = (field: string | undefined): string | null => {
  const text = given(field)
  return text === null ? null : decodeField(text)
}

const numberOf = (field: string): number | null => (/^[0-9]{1,15}$/.test(field) ? Number(field) : null)

/** `%41` as `A`; bytes that are not UTF-8 become U+FFFD, and a `%` without two digits stays. */
export function decodeField(text: string): string {
  if (!text.includes('%')) return text
  const bytes = Buffer.from(text)
  let end = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    const pair = byte === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : ''
    const isEscaped = /^[0-9a-fA-F]{2}$/.test(pair)
    bytes[end++] = isEscaped ? Number.parseInt(pair, 16) : byte
    if (isEscaped) at += 2
  }
  return bytes.toString('utf8', 0, end)
}

function connectionOf(field: string): AskLine['connection'] {
  const [, verdict, rule] = /^(splice|bump|deny|down|full):([0-9]{1,15}|-)$/.exec(field) ?? []
  return verdict === undefined ? null : { verdict, ruleId: rule === '-' ? null : Number(rule) }
}

export interface Answer {
  readonly stage: FilterStage
  readonly verdict: FilterVerdict | 'down'
  /** Null where this question says nothing final about the request: then what decides comes with a later one. */
  readonly decided: {
    readonly ruleId: number | null
    readonly reason: string
    readonly categories: readonly string[]
    readonly location: string | null
  } | null
  readonly user: FilterUser | null
  /** Null where none is shown. */
  readonly page: {
    readonly language: 'en' | 'ru'
    readonly categories: string
    readonly rule: string
    readonly user: string
  } | null
  /** What is in place of the reply has to be in chunks too: the proxy has decided so before it asks. */
  readonly isChunked: boolean
}

const verdictKeys: Readonly<Record<FilterStage, string>> = { tls: 'v_TLS', request: 'v_REQ', reply: 'v_REP' }

/** Longer values would fill the buffer of the proxy for one answer (32 KB). */
const maxValue = 4096

/**
 * With the line end. Each key at most once; the proxy adds values of later answers to those of earlier ones. Every value costs
 * the proxy time with each rule that asks about one, so there is none that says nothing.
 */
export function printAnswer(id: string, { stage, verdict, decided, user, page, isChunked }: Answer): string {
  const parts = [`${id} OK ${verdictKeys[stage]}=${verdict}`]
  const rule = decided?.ruleId ?? null
  if (page) parts.push(`page=${page.language}`)
  if (stage === 'tls') parts.push(`clt_conn_tag=${verdict}:${rule ?? '-'}`)
  if (isChunked && (verdict === 'deny' || verdict === 'redirect')) parts.push('chunked=yes')
  if (decided) {
    if (rule !== null) parts.push(`rule=${rule}`)
    parts.push(`why=${encodeValue(decided.reason)}`)
    if (decided.categories.length > 0)
      parts.push(`cat=${decided.categories.map(encodeValue).join(',').slice(0, maxValue)}`)
    if (decided.location !== null) parts.push(`loc=${encodeLocation(decided.location)}`)
  }
  if (user) parts.push(`user=${encodeValue(user.login)} uid=${encodeValue(user.id)}`)
  if (page) {
    const notes = { names: page.categories, rule_name: page.rule, who: page.user }
    for (const [key, text] of Object.entries(notes)) if (text !== '') parts.push(`${key}="${pageText(text)}"`)
  }
  return `${parts.join(' ')}\n`
}

/** What is answered where nothing can be decided; what happens then is a setting of the proxy. */
export const downAnswer = (id: string): string => `${id} OK v_TLS=down v_REQ=down v_REP=down\n`

/** What is answered to a question that cannot be read or fails: a client chose what is in it, so it is refused, whatever the setting. */
export const fullAnswer = (id: string): string => `${id} OK v_TLS=full v_REQ=full v_REP=full\n`

/** Shorter than the longest value. */
const plainValue = /^[A-Za-z0-9._-]{0,200}$/

/** The proxy decodes a value once. Letters, digits and three marks stay; everything else is percent-encoded. Cut at a length that no real value has. */
export function encodeValue(text: string): string {
  if (plainValue.test(text)) return text
  let encoded = ''
  for (const letter of text.toWellFormed()) {
    const next = /^[A-Za-z0-9._-]$/.test(letter)
      ? letter
      : [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
    if (encoded.length + next.length > maxValue) break
    encoded += next
  }
  return encoded
}

/**
 * The proxy decodes a value once. What it has then is the address with every character that could end a value or a header
 * percent-encoded; an escaped line end of a client stays escaped.
 */
export const encodeLocation = (url: string): string =>
  url
    .toWellFormed()
    .replace(/[^!#$%&'()*+,./0-9:;=?@A-Z[\]_a-z~-]/gu, (letter) => encodeURIComponent(letter))
    .replaceAll('%', '%25')

/** A longer address does not fit into an answer (the proxy takes 32 KB). */
export const maxLocation = 16_384

/**
 * Text of the page. The proxy prints notes into a page as they are, so it is made harmless here: what is not a letter or digit
 * of ASCII or a plain mark becomes a character reference. Cut to what a page can show.
 */
export function pageText(text: string): string {
  let printed = ''
  for (const letter of text.toWellFormed()) {
    const code = letter.codePointAt(0) ?? 0xfffd
    const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0)
    const next = /^[A-Za-z0-9 .,:()-]$/.test(letter) ? letter : `&#${isControl ? 0xfffd : code};`
    if (printed.length + next.length > maxValue) break
    printed += next
  }
  return printed
}
