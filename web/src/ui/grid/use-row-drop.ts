// Where a row that is dragged would go, and the drop.

import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { type RefObject, useEffect, useState } from 'react'
import type { LatestState } from './grid-state.ts'
import type { Layout } from './layout.ts'
import { dragKind } from './row.tsx'
import type { DropTarget } from './types.ts'

interface DropSource<Row> {
  readonly body: RefObject<HTMLDivElement | null>
  readonly isDraggable: boolean
  readonly layout: Layout
  readonly rowHeight: number
  readonly latest: LatestState<Row>
}

export function useRowDrop<Row>({ body, isDraggable, layout, rowHeight, latest }: DropSource<Row>): DropTarget | null {
  const [drop, setDrop] = useState<DropTarget | null>(null)
  useEffect(() => {
    const element = body.current
    if (!isDraggable || element === null) return
    const targetAt = (clientY: number): DropTarget | null => {
      const { rows, keys } = latest.current.list
      const y = clientY - element.getBoundingClientRect().top
      if (rows.length === 0) return null
      const entry = Math.max(0, Math.min(layout.count - 1, Math.floor(y / rowHeight)))
      const found = layout.at(entry)
      if ('band' in found) return null
      const key = keys[found.row]
      return key === undefined ? null : { key, isAfter: y - entry * rowHeight > rowHeight / 2 }
    }
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => source.data.kind === dragKind && element.contains(source.element),
      onDrag: ({ location }) => {
        const next = targetAt(location.current.input.clientY)
        setDrop((now) => (now?.key === next?.key && now?.isAfter === next?.isAfter ? now : next))
      },
      onDragLeave: () => setDrop(null),
      onDrop: ({ source, location }) => {
        setDrop(null)
        const target = targetAt(location.current.input.clientY)
        const dragged = source.data.keys as readonly string[]
        if (target !== null && !dragged.includes(target.key)) latest.current.props.onDrop?.(dragged, target)
      },
    })
  }, [body, isDraggable, layout, rowHeight, latest])
  return drop
}
