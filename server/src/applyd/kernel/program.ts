// The nft program: one process for each check, load and question. Used where the library cannot be, and by the library's
// way for listings.

import { addCounts, type Counts, listChains } from '../nft-listing.ts'
import type { ScriptLine } from '../nft-script.ts'
import { run } from '../processes.ts'
import type { NftSpec } from '../tables.ts'
import { oneLine } from '../text.ts'
import type { NftKernel, Verdict } from './kernel.ts'
import { accepted, elementScript, verdictOf } from './refusals.ts'

const timeoutMs = 20_000
/** Reading the whole table is faster than reading more chains than this. */
const chainsAtOnce = 8

export function createProgramKernel(spec: NftSpec): NftKernel {
  async function runScript(script: readonly ScriptLine[], isCheck: boolean): Promise<Verdict> {
    const command = [...spec.command, ...(isCheck ? ['-c'] : []), '-f', '-']
    const { code, failure, stderr } = await run(command, timeoutMs, script.map(({ text }) => `${text}\n`).join(''))
    if (failure === 'missing') return { problems: [], unchecked: `${spec.command[0]} is not installed.` }
    if (code === 0) return accepted
    // It is unknown then whether it is loaded.
    if (failure && !isCheck) throw new Error('nft did not finish in time.')
    if (failure)
      return { problems: [{ field: spec.tables[0], message: 'nft did not finish in time.' }], unchecked: null }
    return verdictOf(stderr || `nft ended with status ${code}.`, '/dev/stdin', script, spec.tables[0])
  }

  /** The JSON of a listing; null when the kernel has no such thing. */
  async function list(...what: readonly string[]): Promise<string | null> {
    const { code, stdout, stderr } = await run([...spec.command, '-j', 'list', ...what], timeoutMs)
    if (code === 0) return stdout
    if (stderr.startsWith('Error: No such file or directory')) return null
    throw new Error(`nft could not list ${what.join(' ')}: ${oneLine(stderr)}`)
  }

  async function counts(table: string, chains: readonly string[] | null): Promise<Counts | null> {
    const isWhole = chains === null || chains.length === 0 || chains.length > chainsAtOnce
    const listings = isWhole
      ? [await list('table', ...table.split(' '))]
      : await Promise.all(chains.map((chain) => list('chain', ...table.split(' '), chain)))
    if (listings.every((text) => text === null)) return null
    const found: Counts = new Map()
    for (const text of listings) addCounts(found, text, chains && new Set(chains))
    return found
  }

  /** Listing the table would fetch every element of every set; a chain is only checked, never made. */
  async function isPresent(table: string): Promise<boolean> {
    const command = [...spec.command, '-c', 'add', 'chain', ...table.split(' '), 'presence']
    const { code, stderr } = await run(command, timeoutMs)
    if (code === 0) return true
    if (stderr.includes('No such file or directory')) return false
    throw new Error(`nft could not look for ${table}: ${oneLine(stderr)}`)
  }

  return {
    way: 'program',
    check: (script) => runScript(script, true),
    load: (script) => runScript(script, false),
    changeElements: (changes) => runScript(elementScript(changes), false),
    generation: async () => null,
    counts,
    chains: async (table) => listChains(await list('chains'), table),
    list: (table) => list('table', ...table.split(' ')),
    isPresent,
    close: async () => {},
  }
}
