// What the rules cost the traffic, as rows.

import type { BenchOptions } from '../options.ts'
import { aimed, grouped, plain, type Row } from '../table.ts'
import { compile } from './compiled.ts'
import { drawPolicy, printLinear } from './rules.ts'
import { benchTraffic, type Rates } from './traffic.ts'

const rules = 10_000

export async function benchTrafficRows({ isQuick }: BenchOptions): Promise<Row[]> {
  const policy = drawPolicy(rules)
  const rulesets = { none: compile(drawPolicy(0)).text, ours: compile(policy).text, linear: printLinear(policy) }
  const traffic = await benchTraffic(rulesets, isQuick ? 3 : 9)
  return [
    ...rowsOf('new connections a second, last rule decides', traffic.last, 0.8),
    ...rowsOf('new connections a second, middle rule decides', traffic.middle, 0.6),
    ...rowsOf('packets a second of one connection', traffic.packets, null),
    ...rowsOf('TCP connections a second between programs', traffic.tcp, null),
  ]
}

function rowsOf(what: string, { none, ours, linear }: Rates, least: number | null): Row[] {
  const rate = (count: number): string => grouped(Math.round(count))
  const row = (other: number, name: string): Row => ({
    ...plain(what, rate(ours)),
    raw: `${rate(other)} ${name}`,
    ratio: ours / other,
  })
  const first = row(none, 'without rules')
  const percent = `at least ${(least ?? 0) * 100} % of none`
  return [
    least === null ? first : aimed(first, percent, ours / none >= least),
    row(linear, `linear chain (${((100 * linear) / none).toFixed(1)} % of none)`),
  ]
}
