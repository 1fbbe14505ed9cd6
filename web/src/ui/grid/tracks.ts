// Widths of columns as tracks: those of the page, those that the person pulled, and where sticky ones stop.

const leastRest = 140

export interface Tracks {
  readonly template: string
  readonly leastWidth: number
  /** For each column where it sticks; null when it does not. */
  readonly stickyLefts: readonly (number | null)[]
}

interface Sized {
  readonly id: string
  readonly width: number | 'rest'
  readonly minWidth?: number | undefined
  readonly isSticky?: boolean | undefined
}

export function tracksOf(columns: readonly Sized[], pulled: Readonly<Record<string, number>>, lead: number): Tracks {
  const sizes = columns.map((column) => {
    const own = pulled[column.id]
    if (own !== undefined && own > 0) return { track: `${own}px`, least: own }
    if (column.width === 'rest') {
      const least = column.minWidth ?? leastRest
      return { track: `minmax(${least}px, 1fr)`, least }
    }
    return { track: `${column.width}px`, least: column.width }
  })
  let left = lead
  const stickyLefts = columns.map((column, index) => {
    if (!column.isSticky) return null
    const place = left
    left += sizes[index]?.least ?? 0
    return place
  })
  // With no column that takes the rest, an empty one does, so that the lines of rows reach the edge.
  const hasRest = sizes.some(({ track }) => track.startsWith('minmax'))
  const tracks = [...(lead > 0 ? [`${lead}px`] : []), ...sizes.map(({ track }) => track), ...(hasRest ? [] : ['1fr'])]
  return {
    template: tracks.join(' '),
    leastWidth: sizes.reduce((sum, { least }) => sum + least, lead),
    stickyLefts,
  }
}
