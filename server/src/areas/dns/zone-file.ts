// Reads the text of a zone (RFC 1035, section 5) into records and reports faults by line. Rendered zones are printed from
// these records, never from the text. What a record may hold is in zone-records.ts.

import { type SaidText, say } from '../../shared/said.ts'
import type { Fault, Token } from './zone-records.ts'
import { parseTime, type RecordType, readData, resolveName, type ZoneRecord } from './zone-records.ts'

interface Entry {
  readonly line: number
  /** Without one, the entry is about the name of the entry before. */
  readonly hasOwner: boolean
  readonly tokens: readonly Token[]
}

export interface ZoneText {
  readonly records: readonly ZoneRecord[]
  readonly faults: readonly Fault[]
}

const tokenForm = /[ \t]+|;.*|[()]|"((?:[^"\\]|\\.)*)"|(?:[^\s;()"\\]|\\.)+/y

/** Entries end with their line, unless a parenthesis is open. */
function readEntries(text: string): { readonly entries: readonly Entry[]; readonly faults: readonly Fault[] } {
  const entries: Entry[] = []
  const faults: Fault[] = []
  let tokens: Token[] = []
  let start = 0
  let hasOwner = false
  let isOpen = false
  for (const [index, content] of text.split(/\r\n|\r|\n/).entries()) {
    const line = index + 1
    if (!isOpen) {
      tokens = []
      start = line
      hasOwner = !/^[ \t]/.test(content)
    }
    tokenForm.lastIndex = 0
    while (tokenForm.lastIndex < content.length) {
      const match = tokenForm.exec(content)
      if (!match) {
        faults.push({
          line,
          message: say`A quotation mark is not closed, or there is a character where none is allowed.`,
        })
        break
      }
      const [token, quoted] = match
      if (token === '(' || token === ')') {
        if (isOpen === (token === '(')) faults.push({ line, message: say`The parentheses do not match.` })
        isOpen = token === '('
      } else if (!/^[ \t;]/.test(token)) {
        tokens.push({ text: quoted ?? token, isQuoted: quoted !== undefined })
      }
    }
    if (!isOpen && tokens.length > 0) entries.push({ line: start, hasOwner, tokens })
  }
  if (isOpen) faults.push({ line: start, message: say`A parenthesis is not closed.` })
  return { entries, faults }
}

/** What the lines before say about a record. */
interface Setting {
  readonly origin: string
  readonly ttl: number | null
  readonly owner: string | null
}

/** `zone` is the name of the zone and the first origin, without a final dot. */
export function readZone(zone: string, text: string): ZoneText {
  const { entries, faults: broken } = readEntries(text)
  const faults: Fault[] = [...broken]
  const records: ZoneRecord[] = []
  let setting: Setting = { origin: `${zone.toLowerCase()}.`, ttl: null, owner: null }
  for (const entry of entries) {
    const { line, hasOwner, tokens } = entry
    const [first] = tokens
    const isDirective = hasOwner && first?.isQuoted === false && first.text.startsWith('$')
    const next = isDirective ? readDirective(setting, tokens) : readOwner(setting, entry)
    if (typeof next === 'string') {
      faults.push({ line, message: next })
      continue
    }
    setting = next
    if (isDirective) continue
    const record = readRecord(line, setting, hasOwner ? tokens.slice(1) : tokens)
    if (typeof record === 'string') faults.push({ line, message: record })
    else records.push(record)
  }
  return { records, faults: faults.toSorted((one, other) => one.line - other.line) }
}

function readDirective(setting: Setting, [first, ...others]: readonly Token[]): Setting | SaidText {
  const name = first?.text.toUpperCase()
  const value = others.length === 1 ? (others[0]?.text ?? '') : ''
  if (name === '$ORIGIN') {
    const origin = resolveName(value, setting.origin)
    return origin === null ? say`$ORIGIN needs one domain name.` : { ...setting, origin }
  }
  if (name === '$TTL') {
    const ttl = parseTime(value)
    return ttl === null ? say`$TTL needs one time, such as 86400 or 1d.` : { ...setting, ttl }
  }
  return say`${first?.text.slice(0, 40)} is not allowed here.`
}

function readOwner(setting: Setting, { hasOwner, tokens: [first] }: Entry): Setting | SaidText {
  if (!hasOwner) return setting.owner === null ? say`The first record must begin with a name.` : setting
  const owner = first && !first.isQuoted ? resolveName(first.text, setting.origin, { isOwner: true }) : null
  return owner === null ? say`“${first?.text.slice(0, 80)}” is not a name of a record.` : { ...setting, owner }
}

/** `[ttl] [class] type data`, time and class in either order; a sentence when it is not that. */
function readRecord(line: number, setting: Setting, tokens: readonly Token[]): ZoneRecord | SaidText {
  let ttl: number | null = null
  let hasClass = false
  let at = 0
  for (; at < tokens.length; at++) {
    const word = tokens[at]?.text ?? ''
    if (ttl === null && /^\d/.test(word)) {
      ttl = parseTime(word)
      if (ttl === null) return say`“${word.slice(0, 40)}” is not a time such as 3600 or 1h.`
    } else if (!hasClass && /^(?:IN|CH|HS|CS)$/i.test(word)) {
      if (word.toUpperCase() !== 'IN') return say`Only the class IN is known here.`
      hasClass = true
    } else break
  }
  const type = tokens[at]?.text.toUpperCase()
  if (type === undefined) return say`The record has no type.`
  const data = readData(type, tokens.slice(at + 1), setting.origin)
  if (typeof data === 'string') return data
  return { line, name: setting.owner ?? setting.origin, ttl: ttl ?? setting.ttl, type: type as RecordType, data }
}
