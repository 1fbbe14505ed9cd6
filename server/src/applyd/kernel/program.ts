// The nft program: one process for each check, load and question. Used where the library cannot be, and by the library's
// way for listings.

import { run } from '../../engines/kit/processes.ts'
import type { NftSpec } from '../../engines/kit/tables.ts'
import { oneLine } from '../../engines/kit/text.ts'
import type { Counts } from '../../shared/netlink.ts'
import { say } from '../../shared/said.ts'
import { addCounts, listChains } from '../nft-listing.ts'
import type { ScriptLine } from '../nft-script.ts'
import {
  isReadTwice,
  joinElements,
  type KeyPart,
  type LiveChanged,
  type LiveSetChange,
  type PackedElements,
} from './live-elements.ts'
import { liveScript, parseLiveListing } from './live-script.ts'
import type { NftKernel, Verdict } from './nft-kernel.ts'
import { accepted, elementScript, explain } from './refusals.ts'

const timeoutMs = 20_000
/** Reading the whole table is faster than reading more chains than this. */
const chainsAtOnce = 8
/** The same for sets. */
const setsAtOnce = 8

export const createProgramKernel = (spec: NftSpec): NftKernel => ({
  way: 'program',
  check: (script) => runScript(spec, script, true),
  load: (script) => runScript(spec, script, false),
  changeElements: (changes) => runScript(spec, elementScript(changes), false),
  changeLive: (table, changes) => changeLive(spec, table, changes),
  readLive: (table, sets) => readLive(spec, table, sets),
  generation: async () => null,
  counts: (table, chains) => counts(spec, table, chains),
  chains: async (table) => listChains(await list(spec, 'chains'), table),
  list: (table) => list(spec, 'table', ...table.split(' ')),
  isPresent: (table) => isPresent(spec, table),
  close: async () => {},
})

async function runScript(spec: NftSpec, script: readonly ScriptLine[], isCheck: boolean): Promise<Verdict> {
  const { code, failure, stderr } = await ask(spec, script, isCheck)
  if (failure === 'missing') return { problems: [], unchecked: `${spec.command[0]} is not installed.` }
  if (code === 0) return accepted
  // It is unknown then whether it is loaded.
  if (failure && !isCheck) throw new Error(say`nft did not finish in time.`)
  if (failure)
    return { problems: [{ field: spec.tables[0], message: say`nft did not finish in time.` }], unchecked: null }
  return explain(refusedBy(spec, code, stderr, script), async (separate) => {
    const again = await ask(spec, separate, true)
    return again.code === 0 || again.failure ? null : refusedBy(spec, again.code, again.stderr, separate)
  })
}

const ask = (spec: NftSpec, script: readonly ScriptLine[], isCheck: boolean) =>
  run(
    [...spec.command, ...(isCheck ? ['-c'] : []), '-f', '-'],
    timeoutMs,
    script.map(({ text }) => `${text}\n`).join(''),
  )

const refusedBy = (spec: NftSpec, code: number | null, stderr: string, script: readonly ScriptLine[]) => ({
  stderr: stderr || `nft ended with status ${code}.`,
  place: '/dev/stdin',
  script,
  fallback: spec.tables[0],
})

/** The JSON of a listing; null when the kernel has no such thing. */
const list = (spec: NftSpec, ...what: readonly string[]): Promise<string | null> => listWith(spec, ['-j'], what)

async function listWith(spec: NftSpec, options: readonly string[], what: readonly string[]): Promise<string | null> {
  const { code, stdout, stderr } = await run([...spec.command, ...options, 'list', ...what], timeoutMs)
  if (code === 0) return stdout
  if (stderr.startsWith('Error: No such file or directory')) return null
  throw new Error(`nft could not list ${what.join(' ')}: ${oneLine(stderr)}`)
}

async function counts(spec: NftSpec, table: string, chains: readonly string[] | null): Promise<Counts | null> {
  const isWhole = chains === null || chains.length === 0 || chains.length > chainsAtOnce
  // Rules have no elements, of which there may be a hundred thousand to read.
  const listings = isWhole
    ? [await listWith(spec, ['-j', '-t'], ['table', ...table.split(' ')])]
    : await Promise.all(chains.map((chain) => list(spec, 'chain', ...table.split(' '), chain)))
  if (listings.every((text) => text === null)) return null
  const found: Counts = new Map()
  for (const text of listings) addCounts(found, text, chains && new Set(chains))
  return found
}

/** Listing the table would fetch every element of every set; a chain is only checked, never made. */
async function isPresent(spec: NftSpec, table: string): Promise<boolean> {
  const command = [...spec.command, '-c', 'add', 'chain', ...table.split(' '), 'presence']
  const { code, stderr } = await run(command, timeoutMs)
  if (code === 0) return true
  if (stderr.includes('No such file or directory')) return false
  throw new Error(`nft could not look for ${table}: ${oneLine(stderr)}`)
}

/** Names of the sets of a table, without reading their elements. */
async function listSets(spec: NftSpec, table: string): Promise<ReadonlySet<string>> {
  const [family = '', name = ''] = table.split(' ')
  const { code, stdout, stderr } = await run([...spec.command, '-j', '-t', 'list', 'sets', family], timeoutMs)
  if (code !== 0) throw new Error(`nft could not list the sets of ${table}: ${oneLine(stderr)}`)
  const objects = (JSON.parse(stdout) as { nftables: { set?: { name: string; table: string } }[] }).nftables
  return new Set(objects.flatMap(({ set }) => (set?.table === name ? [set.name] : [])))
}

async function changeLive(spec: NftSpec, table: string, changes: readonly LiveSetChange[]): Promise<LiveChanged> {
  const present = await listSets(spec, table)
  const missing = changes.map(({ set }) => set).filter((set) => !present.has(set))
  const script = liveScript(
    table,
    changes.filter(({ set }) => present.has(set)),
  )
  if (script.length === 0) return { outcome: 'nothing', missing, full: [] }
  const { problems, unchecked } = await runScript(spec, script, false)
  if (problems.length === 0 && unchecked === null) return { outcome: 'changed', missing, full: [] }
  const full = problems.filter(({ message }) => message.includes('Too many open files')).map(({ field }) => field)
  if (full.length > 0) return { outcome: 'full', missing, full: [...new Set(full)] }
  throw new Error(`nft refused a change of elements: ${problems[0]?.message ?? unchecked}`)
}

async function readLive(spec: NftSpec, table: string, sets: ReadonlyMap<string, readonly KeyPart[]>) {
  const found = await listLive(spec, table, sets)
  const long = new Map(
    [...found].filter(([, elements]) => isReadTwice(elements)).map(([set, { parts }]) => [set, parts]),
  )
  const second = long.size > 0 ? await listLive(spec, table, long) : []
  for (const [set, elements] of second) found.set(set, joinElements(found.get(set) ?? elements, elements))
  return found
}

async function listLive(spec: NftSpec, table: string, sets: ReadonlyMap<string, readonly KeyPart[]>) {
  const [family = '', name = ''] = table.split(' ')
  const listings =
    sets.size > setsAtOnce
      ? [await list(spec, 'sets', family)]
      : await Promise.all([...sets.keys()].map((set) => list(spec, 'set', family, name, set)))
  const found = new Map<string, PackedElements>()
  for (const text of listings)
    for (const [set, elements] of parseLiveListing(text, name, sets)) found.set(set, elements)
  return found
}
