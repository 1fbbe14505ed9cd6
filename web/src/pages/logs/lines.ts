// Lines of any log as the explorer shows them: joined as new ones come, and counted by the values of a column. Pure.

export type CellValue = string | number | null

export interface LogLine {
  readonly key: string
  /** Unix milliseconds. */
  readonly time: number
  readonly cells: Readonly<Record<string, CellValue>>
}

export interface FacetValue {
  readonly value: string
  readonly count: number
}

/** The most frequent values of a column. */
export function facetOf(lines: readonly LogLine[], column: string, most = 8): FacetValue[] {
  const counts = new Map<string, number>()
  for (const { cells } of lines) {
    const value = cells[column]
    if (value === null || value === undefined || value === '') continue
    counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, most)
}

/** How many lines are read at first, and how many more with each step further back. */
export const firstLines = 5_000
export const moreLines = 10_000

/** More lines than this are not kept in the browser. */
export const mostLines = 50_000

/** Newest first. Lines that are there already stay the same values, so that nothing is drawn twice. */
export function joinLines(known: readonly LogLine[], fresh: readonly LogLine[]): readonly LogLine[] {
  const keys = new Set(known.slice(0, mostLines).map(({ key }) => key))
  const added = fresh.filter(({ key }) => !keys.has(key))
  if (added.length === 0) return known
  return [...added, ...known].sort((a, b) => b.time - a.time).slice(0, mostLines)
}

/** Records without an id: the same text at the same moment is told apart by how often it came before. */
export function keyed<T>(
  records: readonly T[],
  keyOf: (record: T) => string,
): { readonly key: string; readonly record: T }[] {
  const seen = new Map<string, number>()
  // Oldest first, so that a key stays the same when newer records of the same moment come.
  return [...records]
    .reverse()
    .map((record) => {
      const key = keyOf(record)
      const count = seen.get(key) ?? 0
      seen.set(key, count + 1)
      return { key: count === 0 ? key : `${key} ${count}`, record }
    })
    .reverse()
}
