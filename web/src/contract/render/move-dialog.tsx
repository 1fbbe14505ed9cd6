// Moves the chosen rows to a place that the person names.

import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { NumberInput } from '../../ui/number-input.tsx'
import { t } from '../../words.ts'
import type { Item } from '../define.ts'
import { type Spot, spotAt } from '../plan.ts'

interface MoveDialogProps {
  readonly rows: readonly Item[]
  readonly chosen: readonly Item[]
  readonly idField: string | undefined
  readonly onMove: (spot: Spot) => void
  readonly onClose: () => void
}

export function MoveDialog({ rows, chosen, idField, onMove, onClose }: MoveDialogProps): ReactNode {
  const [position, setPosition] = useState<number | null>(null)
  const moveTo = (at: number): void => {
    const spot = spotAt(rows, chosen, at, idField)
    if (spot) onMove(spot)
    else onClose()
  }
  const submit = (): void => {
    if (position !== null) moveTo(position)
  }
  return (
    <Dialog
      title={t('Move {count, plural, one {# entry} other {# entries}}', { count: chosen.length })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={() => moveTo(1)}>{t('To the top')}</Button>
          <Button onClick={() => moveTo(rows.length + 1)}>{t('To the end')}</Button>
          <Button kind="primary" isDisabled={position === null} onClick={submit}>
            {t('Move')}
          </Button>
        </>
      }
    >
      <Field label={t('To position')} hint={t('From 1 to {count}.', { count: rows.length })}>
        {(ids) => (
          <NumberInput
            {...ids}
            value={position}
            onChange={setPosition}
            min={1}
            max={rows.length}
            autoFocus
            onEnter={submit}
          />
        )}
      </Field>
    </Dialog>
  )
}
