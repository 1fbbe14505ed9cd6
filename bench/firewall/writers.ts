// Several clients that change rules at once, against one; and how much the slowest changes differ from the usual ones
// while the reconcile loop runs.

import type { BenchOptions } from '../options.ts'
import { aimed, grouped, median, milliseconds, plain, quantile, type Row } from '../table.ts'
import { addAndDelete } from './changes.ts'
import { type BenchGateway, startWith } from './gateway.ts'

const writers = 8
const leastRate = 3
const mostTail = 3
const sizes = [100, 10_000] as const

export async function benchWriters({ isQuick }: BenchOptions): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of sizes) {
    await using gateway = await startWith(size)
    console.error(`  ${grouped(size)} rules ...`)
    rows.push(await compareRates(gateway, size, isQuick))
    if (size === sizes.at(-1)) rows.push(...(await measureTail(gateway, size, isQuick)))
  }
  return rows
}

async function compareRates(gateway: BenchGateway, size: number, isQuick: boolean): Promise<Row> {
  const [rounds, pairs] = isQuick ? [1, 3] : [6, 8]
  const clients: BenchGateway[] = []
  for (let count = 0; count < writers; count++) clients.push(await gateway.join())
  const rates = { one: [] as number[], many: [] as number[] }
  for (let round = -1; round < rounds; round++) {
    const one = await rateOf([gateway], pairs)
    const many = await rateOf(clients, pairs)
    if (round < 0) continue
    rates.one.push(one)
    rates.many.push(many)
  }
  for (const client of clients) client.leave()
  const [one, many] = [median(rates.one), median(rates.many)]
  const row = {
    ...plain(`changes a second at ${grouped(size)} rules, ${writers} writers`, many.toFixed(0)),
    raw: `${one.toFixed(0)} one writer`,
    ratio: many / one,
  }
  return aimed(row, `at least ${leastRate} x`, many / one >= leastRate)
}

/** Changes a second, with each client adding and deleting its own rules. */
async function rateOf(clients: readonly BenchGateway[], pairs: number): Promise<number> {
  const begun = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      for (let pair = 0; pair < pairs; pair++) await addAndDelete(client)
    }),
  )
  return (2 * pairs * clients.length * 1000) / (performance.now() - begun)
}

/** The reconcile loop looks every 4 s, so this goes on for several of its rounds. */
async function measureTail(gateway: BenchGateway, size: number, isQuick: boolean): Promise<Row[]> {
  const leastSamples = isQuick ? 100 : 400
  const leastMs = isQuick ? 10_000 : 30_000
  const mostMs = isQuick ? 30_000 : 120_000
  const times: number[] = []
  const begun = performance.now()
  const isEnough = (elapsed: number): boolean => elapsed > mostMs || (elapsed > leastMs && times.length >= leastSamples)
  while (!isEnough(performance.now() - begun)) times.push(...(await addAndDelete(gateway)))
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  const title = `changes at ${grouped(size)} rules, ${times.length} in ${((performance.now() - begun) / 1000).toFixed(0)} s`
  const row = { ...plain(`${title}: p99`, milliseconds(p99)), raw: `${milliseconds(p50)} p50`, ratio: p99 / p50 }
  return [
    aimed(row, `at most ${mostTail} x`, p99 / p50 <= mostTail),
    plain(`${title}: longest`, milliseconds(Math.max(...times))),
  ]
}
