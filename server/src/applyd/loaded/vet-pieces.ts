// The pieces of an nft table are read the way nft's own scanner reads them, and everything is refused that could reach outside
// the braces written around it; nft checks whether a rule is valid.

import type { NftPart, NftPiece } from '../../core/plan/artifacts.ts'
import { createTurns } from './turns.ts'

/** These read files or rename things, at any depth. */
const forbidden = new Set(['define', 'include', 'redefine', 'undefine', 'xt'])

/** The first fault of these pieces. */
export function vetPieces(pieces: readonly NftPiece[]): readonly string[] {
  for (const piece of pieces) {
    const faults = vetPiece(piece)
    if (faults.length > 0) return faults
  }
  return []
}

/** Parts never change, so each is read once; what is allowed differs between rules and elements. */
const vettedRules = new WeakMap<NftPart, number>()
const vettedElements = new WeakMap<NftPart, number>()

/** Reads them with others in between: what vetPieces() then finds of them is known. */
export async function vetAhead(pieces: Iterable<NftPiece>): Promise<void> {
  const turns = createTurns()
  for (const { kind, parts } of pieces)
    for (const part of parts) {
      findFault(part, kind === 'chain')
      await turns()
    }
}

/** The position of the first line that is refused; -1 when none is. */
function findFault(part: NftPart, isChain: boolean): number {
  const vetted = isChain ? vettedRules : vettedElements
  const known = vetted.get(part)
  const found = known ?? part.lines.findIndex((line) => faultOf(line, isChain, false) !== null)
  if (known === undefined) vetted.set(part, found)
  return found
}

/** Empty when the piece is harmless, otherwise the first reason with its line. */
export function vetPiece({ kind, name, head, parts }: NftPiece): readonly string[] {
  const isChain = kind === 'chain'
  const ofHead = faultOf(head, isChain, true)
  if (ofHead !== null) return [`The head of ${kind} ${name} ${ofHead}.`]
  let before = 0
  for (const part of parts) {
    const found = findFault(part, isChain)
    const line = part.lines[found]
    if (line !== undefined) return [`Line ${before + found + 1} of ${kind} ${name} ${faultOf(line, isChain, false)}.`]
    before += part.lines.length
  }
  return []
}

/**
 * The nft library runs inside applyd. It follows expressions and statements by recursion and compares each with all others:
 * without a limit, one line could overflow its stack or keep it busy for hours. Values in braces do neither.
 */
const longestPart = 4000
const longestWord = 999

/** Each line is checked alone: it closes every brace it opens, and no other. */
function faultOf(line: string, isChain: boolean, isHead: boolean): string | null {
  // ASCII only: rules carry ids, never an administrator's text.
  if (/[^\t\x20-\x7e]/.test(line)) return 'holds a character that is not allowed'
  // nft's scanner needs quadratic time for a single long token: 8 MB take it minutes.
  if (hasLonger(line, /[\s{},;]/, longestWord)) return 'holds a word that is too long'
  if (hasLonger(line, /[{},]/, longestPart)) return 'holds a part that is too long'
  if (isHead && isChain && line !== '' && !line.startsWith('type ')) return 'is not that of a base chain'
  let [depth, outside] = [0, 0]
  for (const token of tokens(line)) {
    if (forbidden.has(token)) return `uses "${token}"`
    if ('\\$"#'.includes(token)) return `holds a stray ${token}`
    // Elements are inside the braces of their set, and a semicolon would end them.
    if (!isChain && ('{}'.includes(token) || (!isHead && token === ';'))) return `holds a stray ${token}`
    if (token === '{') depth += 1
    if (token === '}') depth -= 1
    if (depth < 0) return 'closes a brace that it did not open'
    // What nft 1.0.6 does not merge ends in an assertion.
    if (depth > 1) return 'opens a brace within braces'
    if (depth === 0) outside += token.length
  }
  if (outside > longestPart) return 'holds a part that is too long'
  return depth === 0 ? null : 'leaves a brace open'
}

/** Split, because a search for so many characters in a row would begin again at each of them. */
const hasLonger = (line: string, ends: RegExp, limit: number): boolean =>
  line.length > limit && line.split(ends).some(({ length }) => length > limit)

/**
 * Words, strings (which end on their line and have no escapes) and single marks; no blanks. A backslash (line
 * continuation), a dollar (variable), a hash (comment) or a lone quote is a mark, so that it can be refused.
 */
function* tokens(line: string): Generator<string> {
  const shape =
    /0[xX][0-9A-Fa-f]+|[A-Za-z_.][A-Za-z0-9/_.-]*|"[^"]*"|[{};\\$"#]|[ \t]+|[0-9]+|[^A-Za-z0-9_."{};\\$# \t]+/g
  // Every character is in one of these, so each match begins where the one before ended.
  for (let from = 0; shape.test(line); from = shape.lastIndex) {
    const token = line.slice(from, shape.lastIndex)
    if (!' \t'.includes(token.charAt(0))) yield token
  }
}

/** The `comment "..."` of a rule, which names the object that made it. */
export function commentOf(line: string): string | null {
  // Mostly it is the last word, which is found without reading the others.
  const open = line.endsWith('"') ? line.lastIndexOf('"', line.length - 2) : -1
  if (open > 0 && /(^|[ \t])comment[ \t]$/.test(line.slice(Math.max(0, open - 9), open)))
    return line.slice(open + 1, -1)
  const words = [...tokens(line)]
  const comment = words.findLast((word, index) => words[index - 1] === 'comment' && word.startsWith('"'))
  return comment?.slice(1, -1) ?? null
}
