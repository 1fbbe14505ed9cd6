// Several series on one axis of time: each moment once, gaps where a series has no value.

import type { Series } from './types.ts'

/** The moments, and for each series its values at them. */
export interface Aligned {
  readonly times: readonly number[]
  readonly values: readonly (readonly (number | null)[])[]
}

export function align(series: readonly Series[]): Aligned {
  const times = [...new Set(series.flatMap(({ points }) => points.map(({ time }) => time)))].toSorted((a, b) => a - b)
  const values = series.map(({ points }) => {
    const known = new Map(points.map(({ time, value }) => [time, value]))
    return times.map((time) => known.get(time) ?? null)
  })
  return { times, values }
}

export const lastValue = (values: readonly (number | null)[]): number | null =>
  values.findLast((value) => value !== null) ?? null
