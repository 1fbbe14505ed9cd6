// When a time object holds, as unix seconds. The gateway's own clock decides at every moment: an hour that a DST change
// leaves out is in no schedule, one that it repeats is in it both times. Pure.

import { noRanges, type Ranges, toRanges } from '../../shared/net/ranges.ts'

/** A time object as administrators write it (docs/behaviour/times.md 1). */
export interface TimeSpan {
  /** 1 is Monday: the days on which it begins. */
  readonly weekdays: readonly number[]
  /** `HH:MM`, included. */
  readonly start: string
  /** `HH:MM`, not included: 18:00 means up to 17:59:59. Earlier than start: on the next day. Equal: the whole day. */
  readonly end: string
  /** First and last second as YYYYMMDDhhmmss, both included. */
  readonly period: { readonly first: number; readonly last: number } | null
}

const daySeconds = 86_400
/** No zone changes its offset twice within this. */
const stepSeconds = daySeconds / 4

/** Seconds in [from, until) during which the zone keeps one offset. */
interface Stretch {
  readonly from: number
  readonly until: number
  readonly offset: number
}

export function scheduleRanges(times: readonly TimeSpan[], timeZone: string, dayStartUnix: number, days = 40): Ranges {
  if (times.length === 0) return noRanges
  const stretches = stretchesOf(timeZone, dayStartUnix, dayStartUnix + days * daySeconds)
  return toRanges(times.flatMap((time) => stretches.flatMap((stretch) => rangesWithin(time, stretch))))
}

/** Within one offset the clock runs evenly: seconds by the clock are unix seconds and the offset. */
function rangesWithin(time: TimeSpan, { from, until, offset }: Stretch): [low: number, high: number][] {
  const lowest = Math.max(from + offset, time.period ? clockSecondsOf(time.period.first) : -Infinity)
  const highest = Math.min(until - 1 + offset, time.period ? clockSecondsOf(time.period.last) : Infinity)
  const start = secondsOfDay(time.start)
  const end = secondsOfDay(time.end)
  const length = end > start ? end - start : end - start + daySeconds
  const ranges: [number, number][] = []
  for (let day = Math.floor(lowest / daySeconds) - 1; day * daySeconds <= highest; day++) {
    if (!time.weekdays.includes(weekdayOf(day))) continue
    const low = Math.max(day * daySeconds + start, lowest)
    const high = Math.min(day * daySeconds + start + length - 1, highest)
    if (low <= high) ranges.push([low - offset, high - offset])
  }
  return ranges
}

/** Day 0, the first of January 1970, was a Thursday. */
const weekdayOf = (day: number): number => ((day + 3) % 7) + 1

const secondsOfDay = (text: string): number => Number(text.slice(0, 2)) * 3600 + Number(text.slice(3)) * 60

/** YYYYMMDDhhmmss as seconds of a clock that knows no zones; null when there is no such day or time. */
export function parseMoment(stamp: number): number | null {
  const text = String(stamp)
  if (!/^\d{14}$/.test(text)) return null
  const seconds = clockSecondsOf(stamp)
  const back = new Date(seconds * 1000).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '')
  return back === text ? seconds : null
}

function clockSecondsOf(stamp: number): number {
  const part = (unit: number, size: number): number => Math.floor(stamp / unit) % size
  const [year, month, day] = [part(1e10, 1e4), part(1e8, 100), part(1e6, 100)]
  return Date.UTC(year, month - 1, day, part(1e4, 100), part(100, 100), part(1, 100)) / 1000
}

let lastStretches: { readonly key: string; readonly stretches: readonly Stretch[] } | null = null

function stretchesOf(timeZone: string, from: number, until: number): readonly Stretch[] {
  const key = `${timeZone} ${from} ${until}`
  if (lastStretches?.key === key) return lastStretches.stretches
  const offsetAt = offsetReader(timeZone)
  const stretches: Stretch[] = []
  let begin = from
  let offset = offsetAt(from)
  for (let at = from; at < until; at += stepSeconds) {
    const next = Math.min(at + stepSeconds, until)
    if (offsetAt(next) === offset) continue
    const change = firstWithout(offsetAt, offset, at, next)
    stretches.push({ from: begin, until: change, offset })
    begin = change
    offset = offsetAt(next)
  }
  if (begin < until) stretches.push({ from: begin, until, offset })
  lastStretches = { key, stretches }
  return stretches
}

/** The first second in (before, after] that has another offset. */
function firstWithout(offsetAt: (unix: number) => number, offset: number, before: number, after: number): number {
  let [low, high] = [before, after]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === offset) low = middle
    else high = middle
  }
  return high
}

function offsetReader(timeZone: string): (unix: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  return (unix) => {
    const parts = Object.fromEntries(format.formatToParts(unix * 1000).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - unix
  }
}

const quarterHour = 900

/** Seconds a zone is ahead of UTC, for those who ask often: zones change only at quarters of an hour. */
export function clockOffsets(timeZone: string): (unix: number) => number {
  const readOffset = offsetReader(timeZone)
  const known = new Map<number, number>()
  return (unix) => {
    const quarter = Math.floor(unix / quarterHour)
    const offset = known.get(quarter) ?? readOffset(quarter * quarterHour)
    known.set(quarter, offset)
    return offset
  }
}
