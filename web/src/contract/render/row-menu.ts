// The menu of a row: what the list can do to it, with the actions of the page among it.

import type { MenuItem } from '../../ui/menu.tsx'
import { t } from '../../words.ts'
import type { Collection, Item } from '../define.ts'
import type { RowActions } from './row-actions.tsx'
import type { RowActs } from './use-row-acts.ts'

export function rowMenu(row: Item, collection: Collection, acts: RowActs, actions: RowActions): readonly MenuItem[] {
  const { create, remove } = collection.endpoints
  const { mayAdd, mayRemove, canAdd, canRemove } = acts
  const isFree = acts.isFree(row)
  return [
    { label: t('Open'), keys: 'Enter', icon: 'edit', onSelect: () => acts.open(row) },
    ...actions.menuOf(row),
    ...(create
      ? [
          {
            label: t('Copy'),
            keys: 'C',
            icon: 'copy' as const,
            onSelect: () => acts.copy(row),
            isDisabled: !canAdd,
            why: mayAdd.why,
          },
        ]
      : []),
    ...(collection.usedBy
      ? [{ label: t('Used by'), keys: 'U', icon: 'used-by' as const, onSelect: () => acts.open(row, 'used') }]
      : []),
    ...(collection.isOrdered ? placeItems(row, collection, acts) : []),
    ...(remove
      ? [
          {
            label: t('Remove'),
            keys: 'Del',
            icon: 'remove' as const,
            isDanger: true,
            isApart: true,
            isDisabled: !canRemove || !isFree,
            why: mayRemove.why ?? (isFree ? undefined : t(collection.isFixed?.(row) ?? '')),
            onSelect: () => acts.askRemove([row]),
          },
        ]
      : []),
  ]
}

/** Where the order of the rows matters. */
function placeItems(row: Item, { endpoints }: Collection, acts: RowActs): readonly MenuItem[] {
  const { mayAdd, mayMove, canAdd, canMove } = acts
  return [
    ...(endpoints.create
      ? [
          {
            label: t('Insert above'),
            keys: 'Shift O',
            icon: 'add' as const,
            isDisabled: !canAdd,
            why: mayAdd.why,
            onSelect: () => acts.openNew({ row, isAfter: false }),
          },
          {
            label: t('Insert below'),
            keys: 'O',
            icon: 'add' as const,
            isDisabled: !canAdd,
            why: mayAdd.why,
            onSelect: () => acts.openNew({ row, isAfter: true }),
          },
        ]
      : []),
    ...(endpoints.move
      ? [
          {
            label: t('Move to …'),
            keys: 'M',
            icon: 'move' as const,
            isDisabled: !canMove,
            why: mayMove.why,
            onSelect: () => acts.askMove([row]),
          },
        ]
      : []),
  ]
}
