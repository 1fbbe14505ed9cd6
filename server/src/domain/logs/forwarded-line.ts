// One record as a line for a collector, in the two forms of docs/behaviour/logs.md 5. Whatever a record says, it stays one line
// and one message: text of a record never becomes a field, a header or a second message.

import { clockOffsets } from '../policy/schedule.ts'
import { cefEvent } from './cef-event.ts'
import type { LogKindName } from './kinds.ts'
import type { KeptRecord } from './record.ts'
import { isAlert, securityExtension, securityMessage } from './security-message.ts'
import { webMessage } from './web-message.ts'

export type ForwardedForm = 'syslog' | 'cef'

/** What lines say beside the record. */
export interface LineScope {
  readonly hostName: string
  readonly timeZone: string
  readonly brand: string
  readonly version: string
}

/** Bytes of a line. Collectors take 8 KB by default; a longer one would be cut or refused there, and with it the connection. */
export const maxLineBytes = 8_000

/** Of syslog: 3 is "daemon". */
const defaultFacility = 3
const facilities: Readonly<Partial<Record<LogKindName, number>>> = { mail: 2, authentication: 10, administration: 13 }

const severityWords = ['Emergency', 'Alert', 'Critical', 'Error', 'Warning', 'Notice', 'Informational', 'Debug']

/** Makes what prints records as lines, without what separates them on the wire. */
export function linePrinter(form: ForwardedForm, scope: LineScope): (record: KeptRecord) => Buffer {
  const clock = clockPrinter(scope.timeZone)
  const host = headerWord(scope.hostName, 255)
  const unitOf = remembered((unit) => headerWord(unit.replace('{brand}', scope.brand), 48))
  const priorityOf = ({ kind, priority }: KeptRecord): number => (facilities[kind] ?? defaultFacility) * 8 + priority
  const messageOf = (record: KeptRecord): string => {
    if (isAlert(record)) return securityMessage(record, scope.hostName, clock)
    return record.kind === 'web' ? webMessage(record, clock(record.time)) : record.message
  }
  if (form === 'syslog')
    return (record) =>
      bounded(
        `<${priorityOf(record)}>1 ${clock(record.time)} ${host} ${unitOf(record.unit)} - - - ${oneLine(messageOf(record))}`,
      )
  const header = ['CEF:0', scope.brand, 'gateway', scope.version].map(cefHeader).join('|')
  return (record) => {
    const { id, name, severity, extension } = cefEvent(record)
    const front = [header, cefHeader(id), cefHeader(name), severity].join('|')
    // The message is last: it is what a line that is too long loses first.
    const documented = isAlert(record)
      ? securityExtension(record, scope.hostName, clock)
      : [
          ['Severity', severityWords[record.priority] ?? ''],
          ['DeviceProcessName', unitOf(record.unit)],
          ['msg', messageOf(record)],
        ]
    const receipt = String(Math.floor(record.time / 1000))
    const pairs = [['rt', receipt], ...extension, ['deviceReceiptTime', receipt], ...documented]
    const printed = pairs.map(([key, value = '']) => `${key}=${cefValue(value)}`).join(' ')
    return bounded(`<${priorityOf(record)}>${clock(record.time)} ${host} ${front}|${printed}`)
  }
}

/** A word between spaces: printable ASCII, `-` when there is none (RFC 5424, 6). */
function headerWord(text: string, limit: number): string {
  const word = text.replaceAll(/[^\x21-\x7e]+/g, '_').slice(0, limit)
  return word === '' ? '-' : word
}

const controls = /[\p{Cc}\u2028\u2029]+/gu

const oneLine = (text: string): string => text.replaceAll(controls, ' ')

const cefHeader = (text: string): string => oneLine(text).replaceAll(/[\\|]/g, '\\$&')

/** In an extension a bar means nothing, a line break is written as such. */
const cefValue = (text: string): string =>
  text.replaceAll(/[\\=]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll(controls, ' ')

/** Cut at a character, so that what is left is valid text; of an escape never only the first half stays. */
function bounded(line: string): Buffer {
  const bytes = Buffer.from(line)
  if (bytes.length <= maxLineBytes) return bytes
  let end = maxLineBytes
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  let escapes = 0
  while (bytes[end - 1 - escapes] === backslash) escapes++
  return bytes.subarray(0, end - (escapes % 2))
}
const backslash = 0x5c

/** ISO 8601 with microseconds and the offset of the zone at that time. Most records share their second with the one before. */
function clockPrinter(timeZone: string): (time: number) => string {
  const offsetAt = clockOffsets(timeZone)
  let second = Number.NaN
  let front = ''
  let back = ''
  return (time) => {
    const seconds = Math.floor(time / 1_000_000)
    if (seconds !== second) {
      const offset = offsetAt(seconds)
      second = seconds
      front = new Date((seconds + offset) * 1000).toISOString().slice(0, 19)
      back = printOffset(offset)
    }
    return `${front}.${String(time - seconds * 1_000_000).padStart(6, '0')}${back}`
  }
}

function printOffset(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** There are few units, and they are the same all the time. */
function remembered(make: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = make(text)
    if (known.size >= maxRemembered) known.clear()
    known.set(text, made)
    return made
  }
}
const maxRemembered = 1_000
