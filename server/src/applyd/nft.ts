// The nft program: checks or loads a script, maps its refusals to the objects that caused them, and reads back what the
// kernel holds.

import type { Problem } from '../contract/error.ts'
import type { ScriptLine } from './nft-script.ts'
import { run } from './processes.ts'
import type { NftSpec } from './tables.ts'
import { oneLine } from './text.ts'

const timeoutMs = 20_000

/** `unchecked` is why the checker could not run. */
export type Verdict = { readonly problems: readonly Problem[]; readonly unchecked: string | null }

/** Checks the script with nft, and loads it unless `isCheck` is set. */
export async function runScript(spec: NftSpec, script: readonly ScriptLine[], isCheck: boolean): Promise<Verdict> {
  const command = [...spec.command, ...(isCheck ? ['-c'] : []), '-f', '-']
  const { code, failure, stderr } = await run(command, timeoutMs, script.map(({ text }) => `${text}\n`).join(''))
  if (failure === 'missing') return { problems: [], unchecked: `${spec.command[0]} is not installed.` }
  const problems = code === 0 ? [] : parseErrors(stderr, script)
  if (code === 0 || problems.length > 0) return { problems, unchecked: null }
  const words = oneLine(stderr.split('\n')[0] ?? '')
  if (/Operation not permitted|Unable to initialize Netlink/.test(words))
    return { problems, unchecked: `nft has no access to the kernel here: ${words}` }
  // It is unknown then whether it is loaded.
  if (failure && !isCheck) throw new Error('nft did not finish in time.')
  const message = failure ? 'nft did not finish in time.' : words || `nft ended with status ${code}.`
  return { problems: [{ field: spec.tables[0], message }], unchecked: null }
}

/** nft writes `file:line:columns: Error: words`, then repeats the line and points at the place. */
function parseErrors(stderr: string, script: readonly ScriptLine[]): Problem[] {
  const found = new Map<string, Problem>()
  for (const [, number, words = ''] of stderr.matchAll(/^\/dev\/stdin:(\d+):[\d-]+: Error: (.*)$/gm)) {
    const field = script[Number(number) - 1]?.field ?? 'nft'
    found.set(`${field} ${words}`, { field, message: oneLine(words) })
  }
  return [...found.values()]
}

/** The JSON of a listing; null when the kernel has no such thing. */
export async function list(spec: NftSpec, ...what: readonly string[]): Promise<string | null> {
  const { code, stdout, stderr } = await run([...spec.command, '-j', 'list', ...what], timeoutMs)
  if (code === 0) return stdout
  if (stderr.startsWith('Error: No such file or directory')) return null
  throw new Error(`nft could not list ${what.join(' ')}: ${oneLine(stderr)}`)
}

/** Whether the table exists. Listing it would fetch every element of every set; a chain is only checked, never made. */
export async function isPresent(spec: NftSpec, table: string): Promise<boolean> {
  const { code, stderr } = await run(
    [...spec.command, '-c', 'add', 'chain', ...table.split(' '), 'presence'],
    timeoutMs,
  )
  if (code === 0) return true
  if (stderr.includes('No such file or directory')) return false
  throw new Error(`nft could not look for ${table}: ${oneLine(stderr)}`)
}
