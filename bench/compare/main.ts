// `npm run bench -- --compare REV [parts]`: runs the bench of another version and that of this tree in turn, each with its own code
// and its own bench, and prints the difference.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { describeMachine, warnOfLoad } from '../machine.ts'
import { flags } from '../options.ts'
import { benches } from '../parts.ts'
import { compareRuns, type PrintedRow, printComparison, readTable } from './tables.ts'
import { makeWorktree, NoRevision } from './worktree.ts'

const root = join(import.meta.dirname, '..', '..')

interface Request {
  readonly revision: string
  readonly parts: readonly string[]
  readonly given: readonly string[]
}

function readArguments(args: readonly string[]): Request {
  const known: readonly string[] = [flags.quick, flags.markdown]
  const given = args.filter((arg) => known.includes(arg))
  const at = args.indexOf(flags.compare)
  const revision = args[at + 1] ?? ''
  const parts = args.filter((arg, index) => index !== at && index !== at + 1 && !given.includes(arg))
  if (revision === '' || revision.startsWith('-'))
    throw new NoRevision('Which revision is compared? npm run bench -- --compare REV [parts]')
  return { revision, parts: parts.length > 0 ? parts : [...new Set(Object.keys(benches).map(groupOf))], given }
}

const groupOf = (name: string): string => name.split('/')[0] ?? ''

/** Each version once first and once second, so that what changes with time hits both: A B B A, and so on. */
const turns = (rounds: number): readonly boolean[] =>
  Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? [false, true] : [true, false])).flat()

let running: ChildProcess | null = null

/** Its table; empty when the part failed or is not there, which is said. */
async function runPart(tree: string, part: string, given: readonly string[]): Promise<PrintedRow[]> {
  // Packages of Debian are there: this tree has installed them for itself.
  const options = ['--skip-packages', part, ...given.filter((flag) => flag === flags.quick)]
  const child = spawn(process.execPath, [join(tree, 'scripts/bench.mjs'), ...options], {
    cwd: tree,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running = child
  const said = { out: '', error: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.error += text
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  running = null
  const rows = readTable(said.out)
  if (code !== 0) console.error(`  ${part} ended with ${code}: ${lastLine(said.error) || lastLine(said.out)}`)
  return rows
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

async function compare({ revision, parts, given }: Request): Promise<number> {
  const machine = describeMachine()
  const warning = warnOfLoad()
  const worktree = makeWorktree(root, revision)
  process.on('exit', worktree.remove)
  const tables = { before: [] as PrintedRow[][], now: [] as PrintedRow[][] }
  for (const part of parts)
    for (const isNow of turns(given.includes(flags.quick) ? 2 : 3)) {
      console.error(`Measuring ${part} of ${isNow ? 'this tree' : revision} ...`)
      tables[isNow ? 'now' : 'before'].push(await runPart(isNow ? root : worktree.path, part, given))
    }
  const result = compareRuns(tables.before, tables.now)
  console.log([machine, ...(warning === null ? [] : [warning]), ''].join('\n'))
  console.log(printComparison(revision, result, given.includes(flags.markdown)))
  return result.rows.length === 0 ? 1 : 0
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // The end of the process removes the other version; what runs in it has to be gone by then.
    if (running === null) process.exit(1)
    running.once('close', () => process.exit(1))
    running.kill('SIGTERM')
  })

try {
  process.exit(await compare(readArguments(process.argv.slice(2))))
} catch (error) {
  if (!(error instanceof NoRevision)) throw error
  console.error(error.message)
  process.exit(2)
}
