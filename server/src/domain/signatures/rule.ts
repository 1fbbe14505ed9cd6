// One Suricata rule as text and as data: the header, the options, and what lists and filters show of them. The parser
// refuses what Suricata 7 would refuse for its form; what an option means in detail is left to the engine.

import { type SaidText, say } from '../../shared/said.ts'
import { headerProblem } from './header.ts'
import { isKeyword } from './keywords.ts'

export const actions = ['pass', 'alert', 'drop', 'rejectsrc', 'rejectdst', 'rejectboth'] as const
export type Action = (typeof actions)[number]

export const sources = ['standard', 'advanced', 'custom'] as const
export type Source = (typeof sources)[number]

/** The value of a field that a rule does not set. */
export const none = '-'

/** A signature as it is shown (docs/behaviour/signatures.md 1). A type, so that queries can take it as a row. */
export type Signature = {
  readonly action: Action
  readonly protocol: string
  readonly flow: 'client2server' | 'server2client' | typeof none
  readonly classtype: string
  readonly sid: number
  readonly signature_severity: string
  readonly mitre_tactic_id: string
  readonly signature_source: Source
  readonly msg: string
  readonly source: string
  readonly source_ports: string
  readonly destination: string
  readonly destination_ports: string
  readonly updated_at: string
}

export interface Rule {
  readonly signature: Signature
  readonly rev: number
  /** As it was written. */
  readonly text: string
}

/** A rule, or what is wrong with its text in the administrator's words. */
export type Parsed = { readonly rule: Rule } | { readonly fault: SaidText }

const maxNumber = 0xffff_ffff

const actionNames: ReadonlyMap<string, Action> = new Map([
  ...actions.map((action) => [action, action] as const),
  // The rule language has both words for the same action (docs/behaviour/signatures.md 2).
  ['reject', 'rejectsrc'],
])

/** Thrown inside the parser only; callers get the sentence. */
class Fault extends Error {
  declare readonly message: SaidText
  constructor(message: SaidText) {
    super(message)
  }
}

export function parseRule(line: string, source: Source): Parsed {
  try {
    return { rule: read(line.trim(), source) }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

function read(text: string, source: Source): Rule {
  const open = text.indexOf('(')
  if (open < 0) throw new Fault(say`The options in parentheses are missing.`)
  if (!text.endsWith(')')) throw new Fault(say`The rule must end with a closing parenthesis.`)
  const header = readHeader(text.slice(0, open))
  const options = readOptions(text, open + 1, text.length - 1)
  const sid = numberOf(options, 'sid') ?? 0
  if (sid === 0) throw new Fault(say`The option sid is missing or 0.`)
  return {
    text,
    rev: numberOf(options, 'rev') ?? 1,
    signature: {
      ...header,
      flow: flowOf(options.get('flow')),
      classtype: options.get('classtype') ?? none,
      sid,
      ...metadataOf(options.get('metadata')),
      signature_source: source,
      msg: unquote(options.get('msg') ?? ''),
    },
  }
}

type Header = Pick<Signature, 'action' | 'protocol' | 'source' | 'source_ports' | 'destination' | 'destination_ports'>

function readHeader(text: string): Header {
  const [
    action = '',
    protocol = '',
    source = '',
    sourcePorts = '',
    direction = '',
    destination = '',
    ports = '',
    more,
  ] = headerTokens(text)
  const known = actionNames.get(action)
  if (!known)
    throw new Fault(say`${quoted(action)} is not an action. Use alert, pass, drop, reject, rejectdst or rejectboth.`)
  if (ports === '' || more !== undefined) {
    throw new Fault(say`The header must be: action, protocol, source, ports, direction, destination, ports.`)
  }
  if (direction !== '->' && direction !== '<>') {
    throw new Fault(say`${quoted(direction)} is not a direction. Use -> or <>.`)
  }
  const problem = headerProblem(protocol, [source, destination], [sourcePorts, ports])
  if (problem !== null) throw new Fault(problem)
  return {
    action: known,
    protocol: protocol.toLowerCase(),
    source,
    source_ports: sourcePorts,
    destination,
    destination_ports: ports,
  }
}

/** Split at spaces, but not inside the brackets of a list. */
function headerTokens(text: string): string[] {
  if (!text.includes('[')) return text.split(/\s+/).filter((token) => token !== '')
  const tokens: string[] = []
  let token = ''
  let depth = 0
  for (const char of text) {
    if (char === '[') depth++
    if (char === ']') depth--
    const isSpace = char === ' ' || char === '\t'
    if (!isSpace) token += char
    else if (depth === 0 && token !== '') {
      tokens.push(token)
      token = ''
    }
  }
  if (depth !== 0) throw new Fault(say`The brackets of the header do not match.`)
  return token === '' ? tokens : [...tokens, token]
}

const once = new Set(['sid', 'rev', 'msg', 'classtype', 'gid', 'priority', 'flow'])

/** Value of every option by name; of a repeated one all values, joined as metadata are. */
function readOptions(text: string, from: number, to: number): ReadonlyMap<string, string> {
  const options = new Map<string, string>()
  let at = from
  while (at < to) {
    const end = endOfOption(text, at, to)
    const option = text.slice(at, end)
    const colon = option.indexOf(':')
    const name = (colon < 0 ? option : option.slice(0, colon)).trim()
    const value = colon < 0 ? '' : option.slice(colon + 1).trim()
    at = end + 1
    if (name === '') {
      // Only spaces may follow the last semicolon.
      if (at >= to && option.trim() === '') break
      throw new Fault(say`An option has no name; remove the extra semicolon.`)
    }
    if (end >= to) throw new Fault(say`The option ${quoted(name)} must end with a semicolon.`)
    checkOption(name, value)
    const before = options.get(name)
    if (before !== undefined && once.has(name)) throw new Fault(say`Duplicate option ${name}.`)
    options.set(name, before === undefined || name !== 'metadata' ? value : `${before}, ${value}`)
  }
  return options
}

/** Place of the semicolon that ends the option: not one in quotes, nor one behind a backslash. */
export function endOfOption(text: string, from: number, to: number): number {
  let isQuoted = false
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) isQuoted = !isQuoted
    else if (code === 0x3b && !isQuoted) return at
    // Suricata ends a value at the first bare semicolon even inside quotes.
    else if (code === 0x3b) throw new Fault(say`A semicolon inside quotes must be written \\; or |3B|.`)
  }
  if (isQuoted) throw new Fault(say`A quote is not closed.`)
  return to
}

const quotedValue = /^!?\s*"(?:[^"\\]|\\[\s\S])+"$/
/** Pairs of digits; spaces are allowed between pairs. */
const isHex = (text: string): boolean =>
  text
    .trim()
    .split(/\s+/)
    .every((part) => part.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(part))

function checkOption(name: string, value: string): void {
  if (!isKeyword(name)) throw new Fault(say`Suricata 7 has no option ${quoted(name)}.`)
  if (name === 'content' || name === 'uricontent') checkContent(name, value)
  if (name === 'pcre' && !/^!?\s*"\/[\s\S]+\/[A-Za-z]*"$/.test(value)) {
    throw new Fault(say`The value of pcre must look like "/expression/flags".`)
  }
  if (name === 'msg' && !quotedValue.test(value)) throw new Fault(say`The value of msg must be a text in quotes.`)
  if (name === 'classtype' && !/^[A-Za-z0-9_-]+$/.test(value)) throw new Fault(say`The option classtype needs a name.`)
}

function checkContent(name: string, value: string): void {
  if (!quotedValue.test(value)) throw new Fault(say`The value of ${name} must be a text in quotes.`)
  if (!value.includes('|')) return
  const parts = value.replaceAll(/\\[\s\S]/g, '').split('|')
  if (parts.length % 2 === 0) throw new Fault(say`A part in hexadecimal of ${name} is not closed with |.`)
  if (parts.some((part, index) => index % 2 === 1 && !isHex(part))) {
    throw new Fault(say`The text between | and | in ${name} must be bytes in hexadecimal.`)
  }
}

function numberOf(options: ReadonlyMap<string, string>, name: string): number | null {
  const value = options.get(name)
  if (value === undefined) return null
  const number = Number(value)
  if (!/^\d{1,10}$/.test(value) || number > maxNumber) throw new Fault(say`The option ${name} must be a whole number.`)
  return number
}

function flowOf(value: string | undefined): Signature['flow'] {
  if (value === undefined) return none
  if (/\b(?:to_server|from_client)\b/.test(value)) return 'client2server'
  return /\b(?:to_client|from_server)\b/.test(value) ? 'server2client' : none
}

const tacticForm = /(?:^|,)\s*(?:MITRE|mitre_tactic_id)\s+(TA\d{4})\s*(?:,|$)/i
const severityForm = /(?:^|,)\s*signature_severity\s+([^,\s]+)/
const updatedForm = /(?:^|,)\s*updated_at\s+(\d{4})[_-](\d{2})[_-](\d{2})\b/

function metadataOf(text = ''): Pick<Signature, 'signature_severity' | 'mitre_tactic_id' | 'updated_at'> {
  const updated = text.includes('updated_at') ? updatedForm.exec(text) : null
  return {
    signature_severity: severityForm.exec(text)?.[1] ?? none,
    mitre_tactic_id: tacticForm.exec(text)?.[1]?.toUpperCase() ?? none,
    updated_at: updated ? `${updated[1]}-${updated[2]}-${updated[3]}` : none,
  }
}

const unquote = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\([\s\S])/g, '$1') : value

/** Part of a rule in a message, cut to what can be read. */
const quoted = (text: string): string => `"${text.slice(0, 40)}"`
