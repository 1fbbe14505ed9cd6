// A signature as an exception of itself: the same text with the action pass, for some hosts. Pure.

import { endOfOption } from './rule.ts'

export interface ExceptedTraffic {
  /** Of the exception. */
  readonly sid: number
  /** Where the packet came from that the signature matched, or null: the sources of the signature. */
  readonly source: string | null
  /** Where it went, or null: the destinations of the signature. */
  readonly destination: string | null
}

/** What only says what a signature is, or what becomes of its events. */
const left: ReadonlySet<string> = new Set([
  'msg',
  'sid',
  'gid',
  'rev',
  'classtype',
  'metadata',
  'reference',
  'priority',
  'threshold',
  'tag',
  'target',
  'noalert',
])

/** Text of a signature that was parsed before. */
export function exceptionText(text: string, { sid, source, destination }: ExceptedTraffic): string {
  const open = text.indexOf('(')
  const [, protocol = '', from = '', ports = '', direction = '', to = '', otherPorts = ''] = headerWords(
    text.slice(0, open),
  )
  const header = ['pass', protocol, source ?? from, ports, direction, destination ?? to, otherPorts].join(' ')
  const options = optionsIn(text, open + 1, text.length - 1)
  const name = options.find((option) => nameOf(option) === 'msg') ?? 'msg:"";'
  const kept = options.filter((option) => !left.has(nameOf(option)))
  const named = name.replace('"', '"Exception: ').trim()
  return `${header} (${[named, ...kept, `sid:${sid};`, 'rev:1;'].join(' ')})`
}

const nameOf = (option: string): string => /^[^:;\s]{0,60}/.exec(option)?.[0] ?? ''

/** Each with its semicolon. */
function optionsIn(text: string, from: number, to: number): string[] {
  const options: string[] = []
  for (let at = from; at < to; ) {
    const end = endOfOption(text, at, to)
    const option = text.slice(at, end).trim()
    if (option !== '') options.push(`${option};`)
    at = end + 1
  }
  return options
}

/** Lists in brackets are one word, whatever spaces they have. */
function headerWords(header: string): string[] {
  const words: string[] = []
  let depth = 0
  let word = ''
  for (const char of `${header} `) {
    if (char === '[') depth++
    if (char === ']') depth--
    if (char !== ' ' && char !== '\t') word += char
    else if (depth === 0 && word !== '') {
      words.push(word)
      word = ''
    }
  }
  return words
}
