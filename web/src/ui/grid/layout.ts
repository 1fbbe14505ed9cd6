// Where rows and bands are: every one of them is one entry of the same height, so places are arithmetic.

export interface Layout {
  readonly count: number
  /** The row at an entry, or the band. */
  readonly at: (entry: number) => { readonly row: number } | { readonly band: number }
  readonly entryOf: (row: number) => number
}

/** `before`: for each band the index of the row that it comes before. */
export function layoutOf(rows: number, before: readonly number[]): Layout {
  const sorted = before
    .map((row, band) => ({ band, row: Math.max(0, Math.min(rows, row)) }))
    .toSorted((a, b) => a.row - b.row || a.band - b.band)
    .map(({ band, row }, place) => ({ band, entry: row + place, row }))
  return {
    count: rows + sorted.length,
    at(entry) {
      let passed = 0
      for (const one of sorted) {
        if (one.entry === entry) return { band: one.band }
        if (one.entry > entry) break
        passed++
      }
      return { row: entry - passed }
    },
    entryOf: (row) => row + sorted.filter((one) => one.row <= row).length,
  }
}

/** Most row elements in the document, with the head and the row that has the focus. */
const mostElements = 80
const wantedOverscan = 12

/** Rows kept on each side of the window: less on very tall screens. */
export function overscanOf(viewHeight: number, rowHeight: number): number {
  const visible = Math.ceil(viewHeight / rowHeight) + 1
  return Math.max(0, Math.min(wantedOverscan, Math.floor((mostElements - 3 - visible) / 2)))
}
