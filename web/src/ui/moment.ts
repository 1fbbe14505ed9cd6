// A moment as people read it: how long ago, and exactly, in the time zone of the gateway.

export interface Moment {
  readonly unix?: number | undefined
  readonly iso?: string | undefined
  /** YYYYMMDDhhmmss in UTC. */
  readonly stamp?: number | string | undefined
}

/** Milliseconds since 1970; null when it is not a time. */
export function instantOf({ unix, iso, stamp }: Moment): number | null {
  if (unix !== undefined) return Number.isFinite(unix) && unix > 0 ? unix * 1000 : null
  if (iso !== undefined) {
    const parsed = Date.parse(iso)
    return Number.isNaN(parsed) ? null : parsed
  }
  const match = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(String(stamp ?? ''))
  if (match === null) return null
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number)
  const instant = Date.UTC(year, month - 1, day, hour, minute, second)
  return new Date(instant).getUTCDate() === day ? instant : null
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]

/** Such as "3 minutes ago" or "in 2 days". */
export function relativeOf(instant: number, now: number, language: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
  let amount = (instant - now) / 1000
  for (const [unit, size] of steps) {
    if (Math.abs(Math.round(amount)) < size) return format.format(Math.round(amount), unit)
    amount /= size
  }
  return format.format(Math.round(amount), 'year')
}

/** Such as "16 Nov 2026, 14:02:11 CET". */
export function exactOf(instant: number, language: string, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(instant)
}

/** How long a relative time stays true, in milliseconds. */
export const staleAfter = (instant: number, now: number): number => {
  const distance = Math.abs(instant - now) / 1000
  if (distance < 60) return 1000
  return distance < 3600 ? 20_000 : 300_000
}
