// What is refused before any program sees it. The body of an nft table is read the way nft's own scanner reads it, and
// everything is refused that could reach outside the braces we write around it; whether a rule is good, nft judges.

import type { Problem } from '../contract/error.ts'
import type { Artifact, Plan } from '../plan/artifacts.ts'
import type { Tables } from './tables.ts'

/** The state of everything in the tables; null means absent. What a plan does not name goes away. */
export interface Target {
  readonly files: ReadonlyMap<string, Buffer | null>
  readonly tables: ReadonlyMap<string, string | null>
  readonly units: ReadonlySet<string>
}

/** Names of what differs between a target and the machine. */
export type Difference = { readonly [K in Artifact['kind']]: readonly string[] }

export function targetOf(plan: Plan, tables: Tables): Target {
  const files = new Map<string, Buffer | null>([...tables.files.keys()].map((name) => [name, null]))
  const bodies = new Map<string, string | null>(tables.nft.tables.map((name) => [name, null]))
  const units = new Set<string>()
  for (const artifact of plan.artifacts) {
    if (artifact.kind === 'file') files.set(artifact.name, Buffer.from(artifact.text))
    if (artifact.kind === 'nft') bodies.set(artifact.name, artifact.body)
    if (artifact.kind === 'unit') units.add(artifact.name)
  }
  return { files, tables: bodies, units }
}

export function vetTarget(target: Target, difference: Difference, tables: Tables): Problem[] {
  const faultsOf = (name: string, messages: readonly string[]) => messages.map((message) => ({ field: name, message }))
  return [
    ...difference.nft.flatMap((name) => faultsOf(name, vetBody(target.tables.get(name) ?? ''))),
    ...difference.file.flatMap((name) => faultsOf(name, vetFile(name, target, tables))),
    ...[...target.units].flatMap((name) => faultsOf(name, vetUnit(name, target, tables))),
  ]
}

function vetFile(name: string, target: Target, tables: Tables): readonly string[] {
  const text = target.files.get(name)?.toString()
  if (text === undefined) return []
  if (/[\p{Cc}\u2028\u2029]/u.test(text.replaceAll(/[\n\t]/g, ''))) return ['The file holds a control character.']
  const readers = [...tables.units.values()].filter((unit) => unit.files.includes(name))
  return readers.flatMap((unit) => unit.directives(name, text))
}

function vetUnit(name: string, target: Target, tables: Tables): readonly string[] {
  const missing = (tables.units.get(name)?.files ?? []).filter((file) => target.files.get(file) === null)
  return missing.map((file) => `${name} needs ${file}, which is not part of the plan.`)
}

export const bodyLimit = 16 * 1024 * 1024

/** What may stand directly in a table. `flags` is missing on purpose: a dormant table filters nothing. */
const statements = new Set(['chain', 'comment', 'counter', 'ct', 'flowtable', 'limit', 'map', 'quota', 'set'])
/** These read files or rename things, at any depth. */
const forbidden = new Set(['define', 'include', 'redefine', 'undefine', 'xt'])

/** Empty when the body is harmless, otherwise the reason with its line. */
export function vetBody(body: string): readonly string[] {
  if (body.length > bodyLimit) return ['The ruleset is too large.']
  // ASCII only: rules carry ids, never an administrator's text.
  if (/[^\n\t\x20-\x7e]/.test(body)) return ['The ruleset holds a character that is not allowed.']
  // nft's scanner needs quadratic time for a single long token: 8 MB take it minutes.
  if (/#[^\n]{1000}|[^\s{},;]{1000}/.test(body)) return ['The ruleset holds a word that is too long.']
  let depth = 0
  let line = 1
  let isStart = true
  for (const token of tokens(body)) {
    const fault = faultOf(token, depth, isStart)
    if (fault) return [`Line ${line} of the ruleset ${fault}.`]
    if (token === '{') depth += 1
    if (token === '}') depth -= 1
    if (token === '\n') line += 1
    isStart = '\n;{}'.includes(token)
  }
  return depth === 0 ? [] : ['The ruleset leaves a brace open.']
}

function faultOf(token: string, depth: number, isStart: boolean): string | null {
  if (forbidden.has(token)) return `uses "${token}"`
  if ('\\$"'.includes(token)) return `holds a stray ${token}`
  if (token === '}' && depth === 0) return 'closes a brace that it did not open'
  if (depth === 0 && isStart && !'\n;'.includes(token) && !statements.has(token))
    return 'starts a statement that may not stand in a table'
  return null
}

/**
 * Words, strings (which end on their line and have no escapes) and single marks; no blanks, no comments. A backslash
 * (line continuation), a dollar (variable) or a lone quote is a mark, so that it can be refused.
 */
function* tokens(text: string): Generator<string> {
  const shape = /[A-Za-z_.][A-Za-z0-9/_.-]*|"[^"\n]*"|[\n{};\\$"]|#[^\n]*|[ \t]+|[^A-Za-z_."\n{};\\$# \t]+/g
  for (const [token] of text.matchAll(shape)) if (!'# \t'.includes(token.charAt(0))) yield token
}

/** The `comment "..."` of a rule, which names the object that made it. */
export function commentOf(line: string): string | null {
  const words = [...tokens(line)]
  const comment = words.findLast((word, index) => words[index - 1] === 'comment' && word.startsWith('"'))
  return comment?.slice(1, -1) ?? null
}
