// Runs parts one after the other, each in its own process: one that fails, however it ends, does not end the others.

import { type ChildProcess, fork } from 'node:child_process'
import type { Row } from './table.ts'

export interface Outcome {
  readonly rows: Row[]
  /** Parts that failed, and why. */
  readonly failed: { readonly name: string; readonly why: string }[]
}

/** What a part sends at its end. */
export type PartResult = { readonly rows: Row[] } | { readonly fault: string }

/** `program` is called with the name of a part and `args`. */
export async function runParts(program: string, names: readonly string[], args: readonly string[]): Promise<Outcome> {
  const outcome: Outcome = { rows: [], failed: [] }
  let running: ChildProcess | null = null
  const stop = (signal: NodeJS.Signals): void => {
    running?.kill(signal)
    process.exit(1)
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  for (const name of names) {
    console.error(`Measuring ${name} ...`)
    running = fork(program, [name, ...args])
    const result = await resultOf(running)
    if ('rows' in result) outcome.rows.push(...result.rows)
    else {
      console.error(`${name} failed: ${result.fault}`)
      outcome.failed.push({ name, why: result.fault })
    }
  }
  process.off('SIGTERM', stop).off('SIGINT', stop)
  return outcome
}

function resultOf(child: ChildProcess): Promise<PartResult> {
  return new Promise((resolve) => {
    let sent: PartResult | null = null
    child.once('message', (result) => {
      sent = result as PartResult
    })
    child.once('error', (error) => resolve({ fault: error.message }))
    child.once('close', (code, signal) => {
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
