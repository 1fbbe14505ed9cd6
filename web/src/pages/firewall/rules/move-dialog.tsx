// Where rules go: to a position, to the top or to the end.

import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { TextInput } from '../../../ui/text-input.tsx'
import { t } from '../../../words.ts'
import styles from './move-dialog.module.css'
import { readPosition } from './moves.ts'

export interface MoveDialogProps {
  readonly count: number
  readonly total: number
  readonly onMove: (position: number) => void
  readonly onClose: () => void
}

export function MoveDialog({ count, total, onMove, onClose }: MoveDialogProps) {
  const [text, setText] = useState('')
  const position = readPosition(text, total, { top: t('top'), end: t('end') })
  const move = (): void => {
    if (position !== null) onMove(position)
  }
  return (
    <Dialog
      title={t('{count, plural, one {Move # rule} other {Move # rules}}', { count })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" onClick={move} isDisabled={position === null} keys="Enter">
            {t('Move')}
          </Button>
        </>
      }
    >
      <div className={styles.body}>
        <Field
          label={t('To position')}
          hint={t('A number from 1 to {total}, "{top}" or "{end}"', { total, top: t('top'), end: t('end') })}
          problem={text.trim() !== '' && position === null ? t('Not a position.') : undefined}
        >
          {(ids) => <TextInput {...ids} value={text} onChange={setText} onEnter={move} autoFocus />}
        </Field>
        <div className={styles.quick}>
          <Button size="small" icon="up" onClick={() => onMove(1)}>
            {t('To the top')}
          </Button>
          <Button size="small" icon="down" onClick={() => onMove(total)}>
            {t('To the end')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
