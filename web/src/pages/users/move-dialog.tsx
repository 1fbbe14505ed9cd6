// The group that users and groups are moved to, by choice.

import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { t } from '../../words.ts'
import { mayMove, type TreeIndex, treeRows } from './tree.ts'

interface MoveDialogProps {
  readonly index: TreeIndex
  readonly ids: readonly string[]
  readonly onMove: (target: string) => void
  readonly onClose: () => void
}

/** Groups in the order of the tree, moved in by their depth. */
export function useGroupOptions(index: TreeIndex, isFit: (id: string) => boolean) {
  return useMemo(
    () =>
      treeRows(index, new Set(index.groups.keys()))
        .filter(({ group, id }) => group !== null && isFit(id))
        .map(({ id, group, depth }) => ({ value: id, label: `${'\u2003'.repeat(depth)}${group?.name ?? ''}` })),
    [index, isFit],
  )
}

export function MoveDialog({ index, ids, onMove, onClose }: MoveDialogProps): ReactNode {
  const [target, setTarget] = useState<string | null>(null)
  const isFit = useMemo(() => (id: string) => mayMove(index, ids, id), [index, ids])
  const options = useGroupOptions(index, isFit)
  return (
    <Dialog
      title={t('Move to a group')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" isDisabled={target === null} onClick={() => target !== null && onMove(target)}>
            {t('Review the move')}
          </Button>
        </>
      }
    >
      {options.length === 0 ? (
        <Empty title={t('There is no group to move it to')}>
          {t('Only what was made here can be moved, into groups that were made here.')}
        </Empty>
      ) : (
        <Field label={t('Group')}>
          {({ id, describedBy, isInvalid }) => (
            <Select
              value={target}
              onChange={setTarget}
              options={options}
              id={id}
              describedBy={describedBy}
              isInvalid={isInvalid}
              autoFocus
            />
          )}
        </Field>
      )}
    </Dialog>
  )
}
