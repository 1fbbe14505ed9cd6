// Numbers of the dashboard: traffic of the ways to the internet, room for leases, refusals by rule. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { showCharts } from '@gateway/server/contract/health'
import { parseSpan } from '@gateway/server/net/ipv4'

type Charts = ReplyOf<typeof showCharts>

export interface Points {
  readonly time: number
  readonly value: number | null
}

/** Bits a second, summed over the devices; steps without a measurement stay gaps. */
export function sumRates(
  { series, step_seconds: step }: Charts,
  devices: ReadonlySet<string>,
  field: 'bytes_in' | 'bytes_out',
): Points[] {
  const sums = new Map<number, number>()
  for (const { name, points } of series) {
    const [device = '', what] = name.split('/')
    if (what !== field || !devices.has(device)) continue
    for (const { time, avg } of points) sums.set(time, (sums.get(time) ?? 0) + avg * 8)
  }
  const times = [...sums.keys()].sort((a, b) => a - b)
  const found: Points[] = []
  for (const [at, time] of times.entries()) {
    const before = times[at - 1]
    if (before !== undefined && time - before > 2 * step) found.push({ time: before + step, value: null })
    found.push({ time, value: sums.get(time) ?? null })
  }
  return found
}

/** The devices of the ways to the internet; without one, all that are not the machine itself. */
export function outerDevices(
  states: readonly { readonly type: string; readonly summary: { readonly device: string | null } }[],
  charts: Charts | undefined,
): ReadonlySet<string> {
  const outer = states.flatMap(({ type, summary: { device } }) =>
    type === 'lan' || type === 'loopback' || device === null ? [] : [device],
  )
  if (outer.length > 0) return new Set(outer)
  return new Set(charts?.series.flatMap(({ name }) => name.split('/')[0] ?? []).filter((device) => device !== 'lo'))
}

export const lastValue = (points: readonly Points[]): number | null =>
  points.findLast(({ value }) => value !== null)?.value ?? null

/** How many addresses the ranges hold. */
export const roomOf = (ranges: readonly string[]): number =>
  ranges.reduce((sum, range) => {
    const span = parseSpan(range)
    return span ? sum + span[1] - span[0] + 1 : sum
  }, 0)

/** The most frequent of them, such as the rule that refused most. */
export function mostFrequent(values: readonly string[]): { readonly value: string; readonly count: number } | null {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [best] = [...counts].sort((a, b) => b[1] - a[1])
  return best ? { value: best[0], count: best[1] } : null
}
