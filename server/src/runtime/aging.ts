// The time by which something is old enough to be removed. A wall clock that jumps ahead makes everything old at once, and
// what is removed then does not come back when the clock is set right. So this time goes on at the pace of elapsed time
// after a jump, and follows the wall clock only when it has stayed there for days.

/** A step of this much is taken as it is. */
const stepMs = 3_600_000
const trustedAfterSeconds = 7 * 86_400

/** `now` in milliseconds, `elapsed` in seconds that no one sets; so is the answer. */
export function createAging(
  now: () => number = Date.now,
  elapsed: () => number = () => performance.now() / 1000,
): () => number {
  const offset = (): number => now() - elapsed() * 1000
  let trusted = offset()
  let aheadSince: number | null = null
  return () => {
    const ahead = offset() - trusted
    if (ahead > stepMs) aheadSince ??= elapsed()
    else aheadSince = null
    if (aheadSince !== null && elapsed() - aheadSince < trustedAfterSeconds) return trusted + elapsed() * 1000
    aheadSince = null
    trusted = offset()
    return now()
  }
}
