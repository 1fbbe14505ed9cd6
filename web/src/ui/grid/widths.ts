// The widths of columns that the person pulled, kept while the grid is shown.

import { type CSSProperties, useCallback, useMemo, useState } from 'react'
import { tracksOf } from './tracks.ts'
import type { Column } from './types.ts'

export function useColumns<Row>(columns: readonly Column<Row>[], lead: number) {
  const [pulled, setPulled] = useState<Readonly<Record<string, number>>>({})
  const setWidth = useCallback((id: string, width: number) => setPulled((now) => ({ ...now, [id]: width })), [])
  const tracks = useMemo(() => tracksOf(columns, pulled, lead), [columns, pulled, lead])
  return { ...tracks, widths: columns, setWidth }
}

/** As custom properties, which the rows read: pulling a column draws no row again. */
export const trackOf = (template: string, leastWidth: number): CSSProperties =>
  ({ '--columns': template, '--least': `${leastWidth}px` }) as CSSProperties

/** Where a cell sticks, once the grid scrolls sideways. */
export const stickAt = (left: number | null): CSSProperties | undefined =>
  left === null ? undefined : ({ '--left': `${left}px` } as CSSProperties)
