// What each type of record holds, and what must hold between the records of one zone (docs/behaviour/dns.md 4). Names
// are absolute, in lower case and end with a dot.

import { parseAddress } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'

export interface Token {
  readonly text: string
  readonly isQuoted: boolean
}

export interface Fault {
  readonly line: number
  readonly message: SaidText
}

export type RecordType = 'A' | 'AAAA' | 'CAA' | 'CNAME' | 'MX' | 'NS' | 'PTR' | 'SOA' | 'SRV' | 'TXT'

export interface ZoneRecord {
  readonly line: number
  readonly name: string
  /** Null: the text says none, so it is the last field of the SOA record. */
  readonly ttl: number | null
  readonly type: RecordType
  readonly data: readonly string[]
}

const longestName = 254
const labelForm = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** The absolute name, or null when it is not valid. Only the owner of a record may begin with a wildcard. */
export function resolveName(text: string, origin: string, { isOwner = false } = {}): string | null {
  if (text === '@') return origin
  if (text === '.') return '.'
  const lower = text.toLowerCase()
  const isAbsolute = lower.endsWith('.')
  const name = isAbsolute ? lower : `${lower}.${origin === '.' ? '' : origin}`
  const labels = (isAbsolute ? lower.slice(0, -1) : lower).split('.')
  const plain = isOwner && labels[0] === '*' ? labels.slice(1) : labels
  return name.length <= longestName && plain.every((label) => labelForm.test(label)) ? name : null
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
const longestTime = 2 ** 31 - 1

/** Seconds of `3600`, `1h` or `1h30m`; null when it is not a time. */
export function parseTime(text: string): number | null {
  if (!/^(?:\d{1,10}|(?:\d{1,10}[smhdw]){1,5})$/i.test(text)) return null
  const parts = [...text.toLowerCase().matchAll(/(\d+)([smhdw]?)/g)]
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitSeconds[unit || 's'] ?? 1), 0)
  return seconds <= longestTime ? seconds : null
}

export function isIpv6(text: string): boolean {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (tail) return parseAddress(tail[2] ?? '') !== null && isIpv6(`${tail[1]}0:0`)
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const isCounted = halves.length === 2 ? groups.length <= 7 : groups.length === 8
  return isCounted && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
}

/** The value as it is kept, or null when the text is not of this kind. */
type FieldReader = (text: string, origin: string) => string | null

const numberUpTo =
  (most: number): FieldReader =>
  (text) =>
    /^\d{1,10}$/.test(text) && Number(text) <= most ? String(Number(text)) : null

const host: FieldReader = (text, origin) => resolveName(text, origin)

/** A mail address with a dot for the at sign; dots before it are written `\.`. */
const mailbox: FieldReader = (text, origin) => {
  const [, local, rest] = /^((?:[A-Za-z0-9_+-]|\\\.)+)\.(.+)$/.exec(text) ?? []
  if (local === undefined || rest === undefined) return resolveName(text, origin)
  const domain = resolveName(rest, origin)
  return domain === null ? null : `${local}.${domain}`
}

/** A number after a backslash has three digits and names a byte. */
const printableForm = /^(?:[\x20-\x5b\x5d-\x7e]|\\[^\d]|\\(?:[01]\d\d|2[0-4]\d|25[0-5]))*$/
const printable: FieldReader = (text) => (/^[\x20-\x7e]{0,255}$/.test(text) && printableForm.test(text) ? text : null)
const time: FieldReader = (text) => parseTime(text)?.toString() ?? null
const short = numberUpTo(65_535)

interface Form {
  readonly fields: readonly FieldReader[]
  /** What must follow the type, as a message says it. */
  readonly needs: string
  /** The last field may be repeated. */
  readonly repeats?: boolean
}

const forms: Readonly<Record<RecordType, Form>> = {
  A: { fields: [(text) => (parseAddress(text) === null ? null : text)], needs: 'an IPv4 address' },
  AAAA: { fields: [(text) => (isIpv6(text) ? text.toLowerCase() : null)], needs: 'an IPv6 address' },
  CAA: {
    fields: [numberUpTo(255), (text) => (/^[a-z0-9]{1,15}$/i.test(text) ? text.toLowerCase() : null), printable],
    needs: 'flags, a tag and a value',
  },
  CNAME: { fields: [host], needs: 'one name' },
  MX: { fields: [short, host], needs: 'a preference and the name of a mail server' },
  NS: { fields: [host], needs: 'the name of a server' },
  PTR: { fields: [host], needs: 'one name' },
  SOA: {
    fields: [host, mailbox, numberUpTo(2 ** 32 - 1), time, time, time, time],
    needs: 'a server, a mailbox, a serial number and four times',
  },
  SRV: { fields: [short, short, short, host], needs: 'priority, weight, port and the name of a server' },
  TXT: { fields: [printable], needs: 'one or more texts of at most 255 ASCII characters', repeats: true },
}

/** The fields of a record, or a sentence. */
export function readData(type: string, tokens: readonly Token[], origin: string): readonly string[] | SaidText {
  if (!Object.hasOwn(forms, type)) return say`Records of the type ${type.slice(0, 40)} are not known here.`
  const { fields, needs, repeats = false } = forms[type as RecordType]
  const fault = say`A record of the type ${type} needs ${needs}.`
  if (repeats ? tokens.length === 0 : tokens.length !== fields.length) return fault
  const values = tokens.map(({ text }, index) => fields[Math.min(index, fields.length - 1)]?.(text, origin) ?? null)
  return values.includes(null) ? fault : (values as string[])
}

/** What must hold between the records; `zone` is the name without a final dot. */
export function checkZone(zone: string, records: readonly ZoneRecord[]): Fault[] {
  const apex = `${zone.toLowerCase()}.`
  const byName = Map.groupBy(records, ({ name }) => name)
  const isInside = (name: string): boolean => name === apex || name.endsWith(`.${apex}`)
  const hasAddress = addressFinder(records)
  return [
    ...authorityFaults(apex, records),
    ...records.flatMap((record) => recordFaults(record, isInside, hasAddress, byName)),
  ].toSorted((one, other) => one.line - other.line)
}

function authorityFaults(apex: string, records: readonly ZoneRecord[]): Fault[] {
  const [first, ...others] = records.filter(({ type }) => type === 'SOA')
  const hasServer = records.some(({ type, name }) => type === 'NS' && name === apex)
  return [
    ...(first ? [] : [{ line: 1, message: say`The zone has no SOA record.` }]),
    ...(first && first.name !== apex
      ? [{ line: first.line, message: say`The SOA record must be that of ${apex}` }]
      : []),
    ...others.map(({ line }) => ({ line, message: say`A zone has only one SOA record.` })),
    ...(hasServer ? [] : [{ line: 1, message: say`The zone has no NS record for its own name.` }]),
  ]
}

function recordFaults(
  { line, name, type, data }: ZoneRecord,
  isInside: (name: string) => boolean,
  hasAddress: (name: string) => boolean,
  byName: ReadonlyMap<string, readonly ZoneRecord[]>,
): Fault[] {
  const fault = (message: SaidText): Fault[] => [{ line, message }]
  if (!isInside(name)) return fault(say`${name} is outside of the zone.`)
  if (type === 'CNAME' && (byName.get(name)?.length ?? 0) > 1)
    return fault(say`${name} has a CNAME record and so must not have any other.`)
  if (type === 'SRV' && !/^_[^.]+\._[^.]+\./.test(name))
    return fault(say`The name of an SRV record begins with _service._protocol, such as _sip._tcp.`)
  const target = type === 'NS' || type === 'MX' ? (data.at(-1) ?? '') : ''
  if (target !== '' && isInside(target) && !hasAddress(target))
    return fault(say`${target} has no A or AAAA record in this zone.`)
  return []
}

/** Whether a name has an address: by a record for it, or by a wildcard above it. */
function addressFinder(records: readonly ZoneRecord[]): (name: string) => boolean {
  const names = new Set(records.filter(({ type }) => type === 'A' || type === 'AAAA').map(({ name }) => name))
  const wildcards = [...names].filter((name) => name.startsWith('*')).map((name) => name.slice(1))
  return (name) => names.has(name) || wildcards.some((rest) => name.endsWith(rest))
}
