// The time by which something is old enough to be removed. A wall clock that jumps ahead makes everything old at once, and
// what is removed then does not come back when the clock is set right. So this time goes on at the pace of elapsed time
// after a jump, and follows the wall clock only when it has stayed there for days. What is remembered makes a start no
// exception: the clock of a machine with an empty battery is wrong from its first second.

/** A step of this much is taken as it is. */
const stepMs = 3_600_000
/** A machine may have been off for this long. */
const offMs = 86_400_000
const trustedAfterSeconds = 7 * 86_400

/** What a later start has to know. */
export interface AgingState {
  /** By this time, in milliseconds. */
  readonly time: number
  /** By the wall clock. */
  readonly wall: number
  /** For how long the wall clock has been elsewhere, while something ran that saw it. */
  readonly awaySeconds: number
}

export interface Aging {
  /** Milliseconds. */
  (): number
  readonly state: () => AgingState
}

/** `now` in milliseconds, `elapsed` in seconds that no one sets. */
export function createAging(
  now: () => number = Date.now,
  elapsed: () => number = () => performance.now() / 1000,
  before: AgingState | null = null,
): Aging {
  const offset = (): number => now() - elapsed() * 1000
  let trusted = offset()
  let away: { readonly since: number; readonly offset: number } | null = null
  if (before && Math.abs(now() - before.time) > offMs) {
    trusted = before.time - elapsed() * 1000
    const isStill = Math.abs(now() - before.wall) <= offMs
    away = { since: elapsed() - (isStill ? before.awaySeconds : 0), offset: offset() }
  }
  const aging = (): number => {
    const wall = offset()
    if (Math.abs(wall - trusted) <= stepMs) away = null
    else if (away === null || Math.abs(wall - away.offset) > stepMs) away = { since: elapsed(), offset: wall }
    else away = { ...away, offset: wall }
    if (away === null || elapsed() - away.since >= trustedAfterSeconds) {
      trusted = wall
      away = null
    }
    // Before its time nothing is too old.
    return Math.min(now(), trusted + elapsed() * 1000)
  }
  const state = (): AgingState => {
    aging()
    const awaySeconds = away === null ? 0 : elapsed() - away.since
    return { time: trusted + elapsed() * 1000, wall: now(), awaySeconds }
  }
  return Object.assign(aging, { state })
}
