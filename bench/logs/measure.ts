// One engine in a process of its own, so that its memory is its own: adds the records, asks the questions, reports.

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchFolder } from '../folder.ts'
import { median } from '../table.ts'
import { type Engine, type QuestionName, questionNames } from './engine.ts'
import { openRipgrep, openSqlite } from './plain.ts'
import { askedOf, batches } from './records.ts'
import { openLocal, openServer } from './stores.ts'

export const engineNames = ['local store', 'SQLite FTS5', 'ripgrep', 'ClickHouse'] as const
export type EngineName = (typeof engineNames)[number]

export interface Measured {
  readonly name: EngineName
  /** Records a second. */
  readonly ingest: number
  /** The same while questions are asked; null where both cannot be at once. */
  readonly busyIngest: number | null
  /** Milliseconds, and the records there are. */
  readonly times: Readonly<Partial<Record<QuestionName, { readonly time: number; readonly found: number | null }>>>
  readonly bytes: number
  /** Megabytes at most. */
  readonly memory: number
}

const openers: Readonly<
  Record<EngineName, (folder: string, asked: ReturnType<typeof askedOf>) => Engine | Promise<Engine>>
> = {
  'local store': openLocal,
  'SQLite FTS5': openSqlite,
  ripgrep: openRipgrep,
  ClickHouse: openServer,
}

const atOnce = 5_000

async function measure(name: EngineName, count: number, rounds: number): Promise<Measured> {
  const folder = join(benchFolder(), 'engine')
  mkdirSync(folder)
  const engine = await openers[name](folder, askedOf(count))
  try {
    const alone = Math.floor(count * 0.9)
    const ingest = await rate(engine, 0, alone)
    let isAsking = engine.isConcurrent
    const asking = (async () => {
      while (isAsking) for (const ask of Object.values(engine.questions)) if (isAsking) await ask()
    })()
    const busy = await rate(engine, alone, count)
    isAsking = false
    await asking
    const samples = new Map<QuestionName, number[]>()
    const found = new Map<QuestionName, number | null>()
    for (let round = 0; round < rounds; round++) {
      for (const question of questionNames) {
        const ask = engine.questions[question]
        if (!ask) continue
        const begun = performance.now()
        found.set(question, await ask())
        samples.set(question, [...(samples.get(question) ?? []), performance.now() - begun])
      }
    }
    return {
      name,
      ingest,
      busyIngest: engine.isConcurrent ? busy : null,
      times: Object.fromEntries(
        [...samples].map(([question, times]) => [
          question,
          { time: median(times), found: found.get(question) ?? null },
        ]),
      ),
      bytes: engine.bytes(),
      memory: peakMemory(engine.pid),
    }
  } finally {
    await engine.close()
  }
}

/** Records a second; making them does not count. */
async function rate(engine: Engine, from: number, until: number): Promise<number> {
  let spent = 0
  for (const batch of batches(from, until, atOnce)) {
    const begun = performance.now()
    await engine.add(batch)
    spent += performance.now() - begun
  }
  const begun = performance.now()
  await engine.settle()
  spent += performance.now() - begun
  return ((until - from) / spent) * 1000
}

const peakMemory = (pid: number): number =>
  (Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6

process.once('message', async ({ name, count, rounds }: { name: EngineName; count: number; rounds: number }) => {
  process.send?.(await measure(name, count, rounds))
  process.disconnect?.()
})
