// Numbers over time as series of charts: few lines a chart, traffic in bits, the rest as it is. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { showCharts } from '@gateway/server/contract/health'
import { msg, t } from '../../words.ts'

type Charts = ReplyOf<typeof showCharts>

export interface ChartSeries {
  readonly name: string
  readonly unit: string
  readonly points: readonly { readonly time: number; readonly value: number | null }[]
}

export interface ChartPart {
  /** The interface or disk; empty for the group itself. */
  readonly name: string
  readonly series: readonly ChartSeries[]
}

/** What people call the lines. */
export const lineTitles: Readonly<Record<string, string>> = {
  '1_minutes': msg('1 minute'),
  '5_minutes': msg('5 minutes'),
  '15_minutes': msg('15 minutes'),
  administrators: msg('Administrators'),
  at_the_portal: msg('Signed in at the portal'),
  busy: msg('Busy'),
  bytes_in: msg('In'),
  bytes_out: msg('Out'),
  packets_in: msg('In'),
  packets_out: msg('Out'),
  signed_in: msg('Signed in'),
  swap_used: msg('Swap used'),
  total: msg('Total'),
  tracked: msg('Tracked'),
  used: msg('Used'),
}

/** Steps that are missing are gaps, not lines. */
function withGaps(points: Charts['series'][number]['points'], step: number, factor: number): ChartSeries['points'] {
  const found: { time: number; value: number | null }[] = []
  for (const { time, avg } of points) {
    const last = found.at(-1)
    if (last && time - last.time > 2 * step) found.push({ time: last.time + step, value: null })
    found.push({ time, value: avg * factor })
  }
  return found
}

/** One chart for each interface and unit, one for everything else. */
export function chartParts({ series, step_seconds: step }: Charts): ChartPart[] {
  const parts = new Map<string, ChartSeries[]>()
  for (const { name, unit, points } of series) {
    const slash = name.lastIndexOf('/')
    const isBytes = unit === 'bytes/s'
    const owner = slash < 0 ? '' : name.slice(0, slash)
    const part = unit === 'packets/s' ? t('{name}, packets', { name: owner }) : owner
    const line = name.slice(slash + 1)
    const one = {
      name: t(lineTitles[line] ?? line),
      unit: isBytes ? 'bit/s' : unit,
      points: withGaps(points, step, isBytes ? 8 : 1),
    }
    parts.set(part, [...(parts.get(part) ?? []), one])
  }
  return [...parts].map(([name, own]) => ({ name, series: own }))
}
