// `npm run bench filter`: what the content filter costs the traffic beside a plain Squid and beside no proxy, in turns on the
// same rooms. Ratios are medians of the ratios of each round.

import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { loadCategoryIndex } from '../../server/src/domain/web-filter/categories/memory-index.ts'
import type { BenchOptions } from '../options.ts'
import { aimed, grouped, median, milliseconds, plain, type Row } from '../table.ts'
import { indexFolder } from './index-file.ts'
import { FilterLab, type Spent, type Way, ways } from './lab.ts'
import type { LoadOrder, LoadOutcome } from './load.ts'
import { deniedHosts } from './policy.ts'

const aim = 1.3
const ruleCount = 1_000

interface Variant {
  readonly name: string
  readonly way: Way
  readonly isDenied?: boolean
}

const toRequests: readonly Variant[] = [
  { name: 'no proxy', way: 'direct' },
  { name: 'plain Squid', way: 'squid' },
  { name: 'gateway', way: 'gateway' },
]
const toConnections: readonly Variant[] = [...toRequests, { name: 'denied', way: 'gateway', isDenied: true }]

/** Of one variant in one round. */
interface Sample extends LoadOutcome {
  readonly spent: Spent
}

export async function benchFilter({ isQuick }: BenchOptions): Promise<Row[]> {
  const entries = isQuick ? 500_000 : 5_000_000
  const rounds = isQuick ? 2 : 5
  const length = isQuick ? 800 : 1_500
  const rows: Row[] = []
  using lab = await FilterLab.open(entries, ruleCount)
  const loads: number[] = []
  for (const connections of [1, 16, 200]) {
    const order = { kind: 'requests', connections, milliseconds: length } as const
    const samples = await inTurns(lab, toRequests, order, rounds, loads)
    rows.push(...rowsOf(samples, connections === 1 ? '1 connection' : `${connections} connections`, 'requests'))
  }
  const order = { kind: 'connections', connections: 16, milliseconds: length } as const
  const samples = await inTurns(lab, toConnections, order, rounds, loads)
  rows.push(...rowsOf(samples, '16 clients', 'new TLS connections'))
  rows.push(...(await indexRows(entries)))
  const highest = Math.max(...loads).toFixed(1)
  rows.push(plain('load average meanwhile', `${Math.min(...loads).toFixed(1)} to ${highest}`))
  return rows
}

type Samples = ReadonlyMap<string, readonly Sample[]>

async function inTurns(
  lab: FilterLab,
  variants: readonly Variant[],
  order: Pick<LoadOrder, 'kind' | 'connections' | 'milliseconds'>,
  rounds: number,
  loads: number[],
): Promise<Samples> {
  const samples = new Map<string, Sample[]>(variants.map(({ name }) => [name, []]))
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    loads.push(loadavg()[0] ?? 0)
    // Each is the first one at times.
    const turned = variants.map((_, at) => variants[(at + round) % variants.length] as Variant)
    for (const { name, way, isDenied } of turned) {
      const before = lab.spent()
      const hosts = isDenied ? deniedHosts : lab.hosts
      const outcome = await lab.load({ ...order, address: ways[way], hosts, status: isDenied ? 403 : 200 })
      const { count, failed, fault } = outcome
      if (failed > count / 1000) throw new Error(`${name}: ${failed} of ${count} requests failed: ${fault}`)
      if (round > 0) samples.get(name)?.push({ ...outcome, spent: difference(lab.spent(), before) })
    }
  }
  return samples
}

const difference = (after: Spent, before: Spent): Spent => ({
  plain: after.plain - before.plain,
  squid: after.squid - before.squid,
  helper: after.helper - before.helper,
  filterd: after.filterd - before.filterd,
})

function rowsOf(samples: Samples, who: string, what: string): Row[] {
  const of = (name: string): readonly Sample[] => samples.get(name) ?? []
  const mid = (name: string, value: (sample: Sample) => number): number => median(of(name).map(value))
  const ratio = (value: (sample: Sample) => number, a: string, b: string): number =>
    median(of(a).map((sample, round) => value(sample) / value(of(b)[round] ?? sample)))
  const rate = ({ perSecond }: Sample): number => perSecond
  const perSecond = (name: string): string => grouped(Math.round(mid(name, rate)))
  const times = (row: Row, value: number): Row => aimed({ ...row, ratio: value }, `at most ${aim} x`, value <= aim)
  const rows: Row[] = [
    times(
      {
        ...plain(`${who}: ${what} a second`, perSecond('gateway')),
        raw: `${perSecond('plain Squid')} plain Squid, ${perSecond('no proxy')} no proxy`,
      },
      ratio(rate, 'plain Squid', 'gateway'),
    ),
  ]
  for (const [name, value] of [
    ['p50', ({ p50 }: Sample) => p50],
    ['p99', ({ p99 }: Sample) => p99],
  ] as const) {
    const time = (variant: string): string => precise(mid(variant, value))
    const row = times(
      {
        ...plain(`${who}: time of one, ${name}`, time('gateway')),
        raw: `${time('plain Squid')} plain Squid, ${time('no proxy')} no proxy`,
      },
      ratio(value, 'gateway', 'plain Squid'),
    )
    rows.push(name === 'p50' ? row : { ...row, aim: '', isMet: null })
  }
  const cost = (key: keyof Spent, name: string): number => mid(name, ({ spent, count }) => (spent[key] * 1000) / count)
  const parts = (['squid', 'helper', 'filterd'] as const).map((key) => cost(key, 'gateway'))
  const all = parts.reduce((sum, part) => sum + part, 0)
  const [squid = 0, helper = 0, filterd = 0] = parts.map(Math.round)
  rows.push({
    ...plain(
      `${who}: processor time of one`,
      `${Math.round(all)} us (Squid ${squid}, helper ${helper}, filterd ${filterd})`,
    ),
    raw: `${Math.round(cost('plain', 'plain Squid'))} us plain Squid`,
    ratio: all / cost('plain', 'plain Squid'),
  })
  if (samples.has('denied'))
    rows.push({
      ...plain(`${who}: denied with the page, a second`, perSecond('denied')),
      raw: `${perSecond('gateway')} passed on`,
    })
  return rows
}

const precise = (time: number): string => `${time.toFixed(2)} ms`

async function indexRows(entries: number): Promise<Row[]> {
  const file = join(await indexFolder(entries), 'current')
  const times: number[] = []
  // In a process of its own, which does nothing else.
  const program = join(import.meta.dirname, '..', 'scale', 'category-memory.ts')
  const measured = execFileSync(process.execPath, ['--expose-gc', program, 'index', file], { encoding: 'utf8' })
  for (let round = 0; round < 3; round++) {
    const begun = performance.now()
    await loadCategoryIndex(file)
    times.push(performance.now() - begun)
  }
  return [
    plain(`${grouped(entries)} category entries loaded`, milliseconds(median(times))),
    plain('memory of a category entry', `${(Number(measured) / entries).toFixed(1)} bytes`),
  ]
}
