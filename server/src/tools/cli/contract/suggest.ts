// "Did you mean": the known word nearest to a mistyped one.

/** Number of letters to change, add, leave out or swap with their neighbour. */
export function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (beforeLast[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY
      row[j] = Math.min(change, swap, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

/** Null when nothing is near enough to be meant. */
export function nearest(word: string, known: readonly string[]): string | null {
  const allowed = Math.max(1, Math.floor(word.length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter((entry) => entry.distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate ?? null
}
