// Hours and days of the gateway's clock as bounds in Unix seconds. Pure.

const [hourSeconds, daySeconds] = [3_600, 86_400] as const

export type OffsetAt = (seconds: number) => number

/** Unix seconds at which the day of a moment begins; where the clock leaves out midnight, the first moment after it. */
export function dayStart(moment: number, offsetAt: OffsetAt): number {
  const clock = moment + offsetAt(moment)
  return momentOf(Math.floor(clock / daySeconds) * daySeconds, offsetAt)
}

/** When the clock first shows this. */
function momentOf(clock: number, offsetAt: OffsetAt): number {
  const around = [-daySeconds, 0, daySeconds].map((shift) => clock - offsetAt(clock + shift))
  const fits = around.filter((moment) => moment + offsetAt(moment) === clock)
  return fits.length > 0 ? Math.min(...fits) : Math.max(...around)
}

/**
 * Rising bounds of the hours or days between two moments: the first is `from`, the last `until`. Null when there are more steps
 * than `most`.
 */
export function stepBounds(
  step: 'hour' | 'day',
  from: number,
  until: number,
  offsetAt: OffsetAt,
  most: number,
): number[] | null {
  if ((until - from) / (step === 'hour' ? hourSeconds : daySeconds) > most) return null
  const nextOf = step === 'hour' ? nextHour : nextDay
  const bounds: number[] = []
  for (let bound = from; bound < until || bounds.length === 0; bound = nextOf(bound, offsetAt)) bounds.push(bound)
  return [...bounds, until]
}

/** Offsets are not always whole hours. */
const nextHour = (moment: number, offsetAt: OffsetAt): number => {
  const clock = moment + offsetAt(moment)
  return moment + hourSeconds - (((clock % hourSeconds) + hourSeconds) % hourSeconds)
}

function nextDay(moment: number, offsetAt: OffsetAt): number {
  // Days have 23 to 25 hours, some have 24 and a half: a day and a quarter after its beginning is in the next one.
  const next = dayStart(dayStart(moment, offsetAt) + daySeconds * 1.25, offsetAt)
  return next > moment ? next : moment + daySeconds
}
