// Times of the wire (stamps of the gateway's clock, unix seconds, ISO 8601) and how people read them, in the zone of the
// gateway. Pure; the zone and the language come from the caller.

export type TimeForm = 'stamp' | 'unix' | 'iso'

const daySeconds = 86_400

/** How far the clock of the zone is ahead of UTC at this moment. */
export function zoneOffset(unix: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(unix * 1000)
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0)
  const clock = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return clock / 1000 - Math.floor(unix)
}

/** A stamp YYYYMMDDhhmmss of the gateway's clock as unix seconds. Of an hour that comes twice the first one is meant. */
export function stampToUnix(stamp: number, zone: string): number | null {
  const text = String(stamp)
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text)
  if (!match) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number)
  const clock = Date.UTC(year, month - 1, day, hour, minute, second) / 1000
  // The clock changes at most once in two days. An hour that is left out counts as if the clock had not changed.
  const [before, after] = [clock - daySeconds, clock + daySeconds].map((near) => clock - zoneOffset(near, zone)) as [
    number,
    number,
  ]
  const isRight = (unix: number): boolean => zoneOffset(unix, zone) === clock - unix
  return !isRight(before) && isRight(after) ? after : before
}

export function unixToStamp(unix: number, zone: string): number {
  const date = new Date((unix + zoneOffset(unix, zone)) * 1000)
  return Number(date.toISOString().slice(0, 19).replaceAll(/[-T:]/g, ''))
}

export function isoToUnix(text: string): number | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time / 1000
}

/** Unix seconds of a value of the wire; null where there is none. Zero means "never". */
export function momentOf(value: unknown, form: TimeForm, zone: string): number | null {
  if (value === null || value === undefined || value === 0 || value === '') return null
  if (form === 'iso') return isoToUnix(String(value))
  if (typeof value !== 'number') return null
  return form === 'unix' ? value : stampToUnix(value, zone)
}

/** `2026-11-16 17:05` as it is in an input, by the clock of the zone. */
export function toLocalText(unix: number, zone: string): string {
  const date = new Date((unix + zoneOffset(unix, zone)) * 1000)
  return date.toISOString().slice(0, 16).replace('T', ' ')
}

export function fromLocalText(text: string, zone: string): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d))?$/.exec(text.trim())
  if (!match) return null
  const [year, month, day, hour, minute, second = '00'] = match.slice(1)
  return stampToUnix(Number(`${year}${month}${day}${hour}${minute}${second}`), zone)
}

export const printMoment = (unix: number, zone: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone: zone }).format(unix * 1000)

const steps = [
  ['day', daySeconds],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** "3 min ago", "in 2 days". */
export function printRelative(unix: number, now: number, language: string): string {
  const distance = unix - now
  const [unit, seconds] = steps.find(([, size]) => Math.abs(distance) >= size) ?? steps[3]
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' }).format(
    Math.trunc(distance / seconds),
    unit,
  )
}

/** The two largest parts: "2 d 3 h". */
export function printDuration(seconds: number, language: string): string {
  const whole = Math.max(0, Math.round(seconds))
  const parts = steps.flatMap(([unit, size], at) => {
    const above = at === 0 ? Number.POSITIVE_INFINITY : (steps[at - 1]?.[1] ?? 1)
    const amount = Math.floor((whole % above) / size)
    return amount > 0 || (unit === 'second' && whole === 0) ? [{ unit, amount }] : []
  })
  return parts
    .slice(0, 2)
    .map(({ unit, amount }) =>
      new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'narrow' }).format(amount),
    )
    .join(' ')
}
