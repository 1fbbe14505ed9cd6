// Runs parts one after the other, each in its own process: one that fails, however it ends, does not end the others, and one that
// hangs is ended.

import { type ChildProcess, fork } from 'node:child_process'
import type { Row } from './table.ts'

export interface Outcome {
  readonly rows: Row[]
  /** Parts that failed, and why. */
  readonly failed: { readonly name: string; readonly why: string }[]
}

/** What a part sends at its end. */
export type PartResult = { readonly rows: Row[] } | { readonly fault: string }

/** Far above what the longest part needs on a busy machine: it only ends one that hangs. */
const limitMs = 2 * 60 * 60 * 1000
/** For what a part has to stop before its end: labs, and engines in them. */
const lastCallsMs = 30_000

export interface RunOptions {
  /** Parts that lack something that could not be installed, and why; a group stands for everything below it. */
  readonly lacking?: Readonly<Record<string, string>>
  readonly limitMs?: number
}

/** As scripts/bench.mjs hands it on. */
export const readLacking = (): Readonly<Record<string, string>> =>
  JSON.parse(process.env.PORTCULLIS_BENCH_LACKING ?? '{}') as Readonly<Record<string, string>>

/** `program` is called with the name of a part and `args`. */
export async function runParts(
  program: string,
  names: readonly string[],
  args: readonly string[],
  options: RunOptions = {},
): Promise<Outcome> {
  const outcome: Outcome = { rows: [], failed: [] }
  let running: ChildProcess | null = null
  const stop = (signal: NodeJS.Signals): void => {
    running?.kill(signal)
    process.exit(1)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  const start = (name: string): Promise<PartResult> => {
    console.error(`Measuring ${name} ...`)
    running = fork(program, [name, ...args])
    return resultOf(running, options.limitMs ?? limitMs)
  }
  for (const name of names) {
    const lack = options.lacking?.[name.split('/')[0] ?? '']
    const result = lack === undefined ? await start(name) : { fault: lack }
    if ('rows' in result) outcome.rows.push(...result.rows)
    else {
      console.error(`${name} failed: ${result.fault}`)
      outcome.failed.push({ name, why: result.fault })
    }
  }
  process.off('SIGTERM', stop).off('SIGINT', stop)
  return outcome
}

function resultOf(child: ChildProcess, limit: number): Promise<PartResult> {
  return new Promise((resolve) => {
    let sent: PartResult | null = null
    let isOverdue = false
    let killer: NodeJS.Timeout | undefined
    const timer = setTimeout(() => {
      isOverdue = true
      child.kill('SIGTERM')
      killer = setTimeout(() => child.kill('SIGKILL'), lastCallsMs)
    }, limit)
    child.once('message', (result) => {
      sent = result as PartResult
    })
    child.once('error', (error) => resolve({ fault: error.message }))
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      clearTimeout(killer)
      if (isOverdue && sent === null) return resolve({ fault: `it was ended after ${Math.round(limit / 1000)} s` })
      const how = signal === null ? `exit code ${code}` : signal
      resolve(sent ?? { fault: `it ended without a result (${how})` })
    })
  })
}

/** The other side: runs the part and reports. It ends when no one waits for it any more. */
export async function reportPart(part: () => Promise<Row[]>): Promise<void> {
  const orphaned = (): never => process.exit(1)
  process.once('disconnect', orphaned)
  const result: PartResult = await part().then(
    (rows) => {
      const empty = rows.filter(({ ratio }) => ratio !== null && !(ratio > 0 && Number.isFinite(ratio)))
      return empty.length === 0
        ? { rows }
        : {
            fault: `nothing was measured: ${empty.map(({ what, ours, raw }) => `${what} (${ours}, ${raw})`).join('; ')}`,
          }
    },
    (error: unknown) => ({ fault: error instanceof Error ? error.message : String(error) }),
  )
  await new Promise<void>((resolve) => process.send?.(result, undefined, {}, () => resolve()))
  // What the part may have left open does not keep it.
  process.off('disconnect', orphaned)
  process.exit('rows' in result ? 0 : 1)
}
