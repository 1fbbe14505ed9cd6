// The nft engine: writes the frame around a table's body, has nft check or load it as one transaction, translates its
// refusals to the objects they come from, and reads back what the kernel holds.

import { createHash } from 'node:crypto'
import type { Problem } from '../contract/error.ts'
import type { KernelRule } from '../plan/artifacts.ts'
import { run } from './processes.ts'
import type { NftSpec } from './tables.ts'
import { oneLine } from './text.ts'
import { commentOf } from './vet.ts'

const timeoutMs = 20_000
const bootBody = 'chain forward {\ntype filter hook forward priority filter; policy drop;\n}'

/** What a table should become; null removes it. */
export type TableBodies = ReadonlyMap<string, string | null>

/** `unchecked` says why a checker could not judge here at all. */
export type Verdict = { readonly problems: readonly Problem[]; readonly unchecked: string | null }

/** The fingerprint is equal for equal rulesets, whatever counters, handles and dynamic sets say. */
export type Listing = { readonly fingerprint: string; readonly rules: readonly KernelRule[] }

type ScriptLine = { readonly table: string; readonly text: string }

/** One transaction. The boot table stands exactly while the first table of the specification is missing. */
function composeScript(spec: NftSpec, bodies: TableBodies): ScriptLine[] {
  const first = bodies.get(spec.tables[0])
  const boot = first === undefined ? [] : [[spec.boot, first === null ? bootBody : null] as const]
  return [...bodies, ...boot].flatMap(([table, body]) => {
    // Naming the table first makes its deletion valid whether or not it exists.
    const head = [`table ${table}`, `delete table ${table}`]
    const lines = body === null ? head : [...head, `table ${table} {`, ...body.split('\n'), '}']
    return lines.map((text) => ({ table, text }))
  })
}

/** Has nft judge the tables, and load them unless asked only to check. */
export async function runScript(spec: NftSpec, bodies: TableBodies, isCheck: boolean): Promise<Verdict> {
  const script = composeScript(spec, bodies)
  const command = [...spec.command, ...(isCheck ? ['-c'] : []), '-f', '-']
  const { code, failure, stderr } = await run(command, timeoutMs, script.map(({ text }) => `${text}\n`).join(''))
  if (failure === 'missing') return { problems: [], unchecked: `${spec.command[0]} is not installed.` }
  const problems = code === 0 ? [] : parseErrors(stderr, script)
  if (code === 0 || problems.length > 0) return { problems, unchecked: null }
  const words = oneLine(stderr.split('\n')[0] ?? '')
  if (/Operation not permitted|Unable to initialize Netlink/.test(words))
    return { problems, unchecked: `nft may not look at the kernel here: ${words}` }
  const message = failure ? 'nft did not finish in time.' : words || `nft ended with status ${code}.`
  return { problems: [{ field: spec.tables[0], message }], unchecked: null }
}

/** nft writes `file:line:columns: Error: words`, then repeats the line and points at the place. */
function parseErrors(stderr: string, script: readonly ScriptLine[]): Problem[] {
  const found = new Map<string, Problem>()
  for (const [, number, words = ''] of stderr.matchAll(/^\/dev\/stdin:(\d+):[\d-]+: Error: (.*)$/gm)) {
    const at = script[Number(number) - 1]
    const field = (at && commentOf(at.text)) ?? at?.table ?? 'nft'
    found.set(`${field} ${words}`, { field, message: oneLine(words) })
  }
  return [...found.values()]
}

/** Null when the kernel has no such table. */
export async function listTable(spec: NftSpec, name: string): Promise<Listing | null> {
  const { code, stdout, stderr } = await run([...spec.command, '-j', 'list', 'table', ...name.split(' ')], timeoutMs)
  if (code === 0) return parseListing(stdout)
  if (stderr.startsWith('Error: No such file or directory')) return null
  throw new Error(`nft could not list the table ${name}: ${oneLine(stderr)}`)
}

type Fields = { readonly [key: string]: Json }
type Json = null | boolean | number | string | readonly Json[] | Fields

export function parseListing(text: string): Listing {
  const objects = (JSON.parse(text) as { nftables: Fields[] }).nftables.filter((object) => !('metainfo' in object))
  const rules = objects.flatMap(({ rule }) => (isFields(rule) ? [rule] : []))
  // Sets that rules add to; nft 1.0.6 does not list the flag `dynamic`.
  const names = [...JSON.stringify(rules).matchAll(/"(?:set|map)":"@([^"]+)"/g)].map(([, name]) => name)
  const shown = objects.map((object) => {
    const set = object.set ?? object.map
    const isTimed = isFields(set) && Array.isArray(set.flags) && set.flags.includes('timeout')
    const isDynamic = isFields(set) && (isTimed || names.includes(String(set.name)))
    return withoutState(isDynamic ? { ...set, elem: null } : object)
  })
  return { fingerprint: createHash('sha256').update(JSON.stringify(shown)).digest('hex'), rules: rules.map(ruleOf) }
}

function ruleOf({ chain, comment, expr }: Fields): KernelRule {
  const statements = (expr ?? []) as readonly Json[]
  const counter = statements.map((s) => (isFields(s) ? s.counter : null)).find(isFields)
  return { chain: String(chain), comment: String(comment ?? ''), packets: counter ? Number(counter.packets) : null }
}

/** Leaves out what changes without anybody touching the ruleset. Elements of a set come in any order. */
function withoutState(value: Json, parent = ''): Json {
  if (typeof value !== 'object' || value === null) return value
  if (isFields(value)) {
    const isState = (key: string) =>
      /^(handle|expires|used|packets)$/.test(key) || (key === 'bytes' && 'packets' in value)
    const kept = Object.entries(value).filter(([key]) => !isState(key))
    return Object.fromEntries(kept.map(([key, item]) => [key, withoutState(item, key)]))
  }
  const items = value.map((item) => withoutState(item))
  return parent === 'elem' || parent === 'set' ? items.map((item) => JSON.stringify(item)).toSorted() : items
}

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
