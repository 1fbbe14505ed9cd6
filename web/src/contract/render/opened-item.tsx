// The open item of a list in its panel, or the words that it is not there.

import { type ReactNode, useCallback, useMemo } from 'react'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { t } from '../../words.ts'
import type { Collection, Item } from '../define.ts'
import { type Around, anchorOf, idOf, itemFields, type Spot, startOf } from '../plan.ts'
import { ItemPanel } from './item-panel.tsx'
import type { Opener } from './opener.ts'

interface OpenedProps {
  readonly collection: Collection
  readonly around: Around
  readonly opener: Opener
  readonly rows: readonly Item[]
  readonly row: Item | null
  readonly etag: string | null
  readonly onCopy: (row: Item) => void
  readonly onRemove: (row: Item) => void
}

/** The panel of the open item, or of a new one that begins as a copy, as the example, or at a place in the list. */
export function OpenedPanel({ collection, around, opener, rows, row, etag, onCopy, onRemove }: OpenedProps): ReactNode {
  const { extra } = opener
  const find = (id: string | undefined): Item | undefined =>
    id === undefined ? undefined : rows.find((one) => idOf(collection, one) === id)
  const start = useMemo((): Item | undefined => {
    if (row !== null || extra.from === undefined) return undefined
    if (extra.from === 'example') return collection.empty.example
    const source = rows.find((one) => idOf(collection, one) === extra.from)
    return source ? startOf(itemFields(collection, true), source, {}) : undefined
  }, [row, extra.from, rows, collection])
  const anchor = find(extra.after) ?? find(extra.before)
  const spot: Spot | null = anchor ? { anchor: anchorOf(collection, anchor), isAfter: extra.after !== undefined } : null
  const onApplied = useCallback(() => opener.open(null), [opener])
  return (
    <ItemPanel
      {...{ collection, around, row, spot, etag, start, onApplied }}
      tab={extra.tab ?? 'details'}
      onTab={opener.setTab}
      onClose={() => opener.open(null)}
      onCopy={() => row && onCopy(row)}
      onRemove={() => row && onRemove(row)}
    />
  )
}

/** The address names an item that is not there: removed, or never was. */
export function Gone({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Bar tone="warn" actions={<Button onClick={onClose}>{t('Close')}</Button>}>
      {t('There is no such entry. Someone may have removed it.')}
    </Bar>
  )
}
