// The window of rows that is in the document, and the size of what shows it.

import { defaultRangeExtractor, type Range, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { overscanOf } from './layout.ts'

export const headHeight = 32

interface WindowSource {
  /** Rows and bands together. */
  readonly count: number
  readonly rowHeight: number
  /** It stays in the document wherever the window is; -1: there is none. */
  readonly focusEntry: number
}

export interface RowWindow {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>
  readonly view: { readonly width: number; readonly height: number }
}

export function useRowWindow(
  scroller: RefObject<HTMLDivElement | null>,
  { count, rowHeight, focusEntry }: WindowSource,
): RowWindow {
  const [view, setView] = useState({ width: 1000, height: 600 })
  const rangeExtractor = useCallback(
    (range: Range) => {
      const window = defaultRangeExtractor(range)
      if (focusEntry < 0 || focusEntry >= range.count) return window
      return [...new Set([...window, focusEntry])].toSorted((a, b) => a - b)
    },
    [focusEntry],
  )
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: overscanOf(view.height, rowHeight),
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    rangeExtractor,
    initialRect: { width: 1000, height: 600 },
    useFlushSync: false,
  })

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const watcher = new ResizeObserver(() => setView({ width: element.clientWidth, height: element.clientHeight }))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [scroller])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another height makes the virtualizer measure all rows again
  useLayoutEffect(() => virtualizer.measure(), [rowHeight])
  return { virtualizer, view }
}
