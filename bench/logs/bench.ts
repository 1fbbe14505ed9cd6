// Ten million records in our log store and in what one would take otherwise, side by side in one run. Each engine has a
// process of its own; how many records each answer has is compared, so that all do the same work.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { clickhouseProgram } from '../../server/test/support/clickhouse.ts'
import type { BenchOptions } from '../options.ts'
import { grouped, milliseconds, plain, type Row } from '../table.ts'
import { type QuestionName, questionNames } from './engine.ts'
import { type EngineName, engineNames, type Measured } from './measure.ts'
import { ripgrep } from './plain.ts'
import { hasLocalStore } from './stores.ts'

const canRun: Readonly<Record<EngineName, () => boolean>> = {
  'local store': hasLocalStore,
  'SQLite FTS5': () => true,
  ripgrep: () => existsSync(ripgrep),
  ClickHouse: () => existsSync(clickhouseProgram),
}

/** Milliseconds that our own store may take, at ten million records. */
const aims: Readonly<Partial<Record<QuestionName, number>>> = {
  'newest 100': 100,
  'equals, rare address, with the total': 100,
  'equals, common action, with the total': 100,
  'contains, rare': 2_000,
  'contains, common, with the total': 2_000,
}
const leastIngest = 50_000

export async function benchLogs({ isQuick }: BenchOptions): Promise<Row[]> {
  const count = isQuick ? 200_000 : 10_000_000
  const measured: Measured[] = []
  for (const name of engineNames.filter((one) => canRun[one]())) {
    console.error(`  ${grouped(count)} records in ${name} ...`)
    const child = fork(join(import.meta.dirname, 'measure.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.send({ name, count, rounds: isQuick ? 3 : 5 })
    const [result] = (await Promise.race([once(child, 'message'), failed(child, name)])) as [Measured]
    await once(child, 'exit')
    measured.push(result)
  }
  const [ours, ...others] = measured
  if (!ours) return []
  return [...ingestRows(ours, others), ...questionNames.flatMap((question) => questionRows(question, ours, others))]
}

async function failed(child: ReturnType<typeof fork>, name: string): Promise<never> {
  const [code] = await once(child, 'exit')
  if (code === 0) return new Promise(() => {})
  throw new Error(`The process that measures ${name} ended with ${code}.`)
}

const perSecond = (rate: number): string => `${grouped(Math.round(rate))}/s`
const megabytes = (bytes: number): string => `${grouped(Math.round(bytes / 1e6))} MB`

function ingestRows(ours: Measured, others: readonly Measured[]): Row[] {
  const rows = (what: string, of: (one: Measured) => number | null, print: (value: number) => string): Row[] => {
    const own = of(ours)
    if (own === null) return []
    const compared = others.flatMap((one) => {
      const other = of(one)
      return other === null ? [] : [{ name: one.name, other }]
    })
    if (compared.length === 0) return [plain(`logs: ${what} (${ours.name})`, print(own))]
    return compared.map(({ name, other }) => ({
      ...plain(`logs: ${what} (${ours.name})`, print(own)),
      raw: `${print(other)} ${name}`,
      ratio: own / other,
    }))
  }
  const busy = rows('ingest while questions are asked', ({ busyIngest }) => busyIngest, perSecond)
  return [
    ...rows('ingest', ({ ingest }) => ingest, perSecond),
    ...busy.map((row) => ({
      ...row,
      aim: `at least ${perSecond(leastIngest)}`,
      isMet: ours.busyIngest === null ? null : ours.busyIngest >= leastIngest,
    })),
    ...rows('disk', ({ bytes }) => bytes, megabytes),
    ...rows(
      'largest memory',
      ({ memory }) => memory,
      (value) => megabytes(value * 1e6),
    ),
  ]
}

function questionRows(question: QuestionName, ours: Measured, others: readonly Measured[]): Row[] {
  const own = ours.times[question]
  if (!own) return []
  const aim = aims[question]
  const row: Row = {
    ...plain(`logs: ${question} (${ours.name})`, milliseconds(own.time)),
    ...(aim === undefined ? {} : { aim: `less than ${aim} ms`, isMet: own.time < aim }),
  }
  const compared = others.flatMap(({ name, times }) => {
    const other = times[question]
    if (!other) return []
    if (own.found !== null && other.found !== null && other.found !== own.found)
      throw new Error(`${question}: ${ours.name} found ${own.found}, ${name} ${other.found}.`)
    return [{ ...row, raw: `${milliseconds(other.time)} ${name}`, ratio: own.time / other.time }]
  })
  return compared.length > 0 ? compared : [row]
}
