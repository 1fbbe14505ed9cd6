// What is refused before any program sees it. The pieces of an nft table are read the way nft's own scanner reads them,
// and everything is refused that could reach outside the braces written around it; nft checks whether a rule is valid.

import type { Problem } from '../contract/error.ts'
import type { Artifact, EngineFile, LinkPlan, NftPart, NftPiece, Plan } from '../plan/artifacts.ts'
import type { WayTargets } from './engines/ways.ts'
import { findFile, findUnit, readsFile, type Tables } from './tables.ts'

/** The state of everything in the tables; null or no pieces means absent. What a plan does not name is removed. */
export interface Target extends WayTargets {
  readonly files: ReadonlyMap<string, Buffer | null>
  readonly tables: ReadonlyMap<string, readonly NftPiece[]>
  readonly units: ReadonlySet<string>
  /** Null: the network is left as it is. */
  readonly links: readonly LinkPlan[] | null
}

/** Names of what differs between a target and the machine. */
export type Difference = { readonly [K in Artifact['kind']]: readonly string[] }

const contents = new WeakMap<EngineFile, Buffer>()

/** The same buffer for the same artifact, so that what is known about it is not computed again. */
function contentOf(file: EngineFile, tables: Tables): Buffer {
  const content = contents.get(file) ?? Buffer.from(file.text + (findFile(tables, file.name)?.ending ?? ''))
  contents.set(file, content)
  return content
}

/** `present` are the files of templates that are on the machine. */
export function targetOf(plan: Plan, tables: Tables, present: readonly string[] = []): Target {
  const files = new Map<string, Buffer | null>([...tables.files.keys(), ...present].map((name) => [name, null]))
  const pieces = new Map<string, readonly NftPiece[]>(tables.nft.tables.map((name) => [name, []]))
  const units = new Set<string>()
  let links: readonly LinkPlan[] | null = null
  let ways: WayTargets = { isIntercepting: false, channels: [], settings: [] }
  for (const artifact of plan.artifacts) {
    if (artifact.kind === 'file') files.set(artifact.name, contentOf(artifact, tables))
    if (artifact.kind === 'nft') pieces.set(artifact.name, artifact.pieces)
    if (artifact.kind === 'unit') units.add(artifact.name)
    if (artifact.kind === 'network' && artifact.name === 'links') links = artifact.links
    if (artifact.name === 'interception') ways = { ...ways, isIntercepting: true }
    if (artifact.name === 'inspection' && 'channels' in artifact) ways = { ...ways, channels: artifact.channels }
    if (artifact.name === 'settings' && 'settings' in artifact) ways = { ...ways, settings: artifact.settings }
  }
  return { files, tables: pieces, units, links, ...ways }
}

export function vetTarget(target: Target, difference: Difference, tables: Tables): Problem[] {
  const faultsOf = (name: string, messages: readonly string[]) => messages.map((message) => ({ field: name, message }))
  return [
    ...difference.nft.flatMap((name) => faultsOf(name, vetPieces(target.tables.get(name) ?? []))),
    ...difference.file.flatMap((name) => faultsOf(name, vetFile(name, target, tables))),
    ...[...target.units].flatMap((name) => faultsOf(name, vetUnit(name, target, tables))),
  ]
}

function vetFile(name: string, target: Target, tables: Tables): readonly string[] {
  const whole = target.files.get(name)?.toString()
  if (whole === undefined) return []
  const text = whole.slice(0, whole.length - (findFile(tables, name)?.ending?.length ?? 0))
  if (/[\p{Cc}\u2028\u2029]/u.test(text.replaceAll(/[\n\t]/g, ''))) return ['The file contains a control character.']
  // Of a template any instance says it: what its units read does not depend on their device.
  const all = [...tables.units.values(), ...[...tables.templates.values()].map((make) => make('lan0'))]
  const readers = all.filter((unit) => readsFile(unit, name))
  return readers.flatMap((unit) => unit.directives(name, text))
}

function vetUnit(name: string, target: Target, tables: Tables): readonly string[] {
  const missing = (findUnit(tables, name)?.files ?? []).filter((file) => target.files.get(file) === null)
  return missing.map((file) => `${name} needs ${file}, which is not part of the plan.`)
}

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
  for (const [token] of line.matchAll(shape)) if (!' \t'.includes(token.charAt(0))) yield token
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
