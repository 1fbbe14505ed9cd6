// Asks before something that is hard to take back. The button names what happens.

import type { ReactNode } from 'react'
import { t } from '../words.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

export interface ConfirmProps {
  readonly title: string
  readonly children: ReactNode
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly isDanger?: boolean
  readonly isBusy?: boolean
}

export function Confirm({
  title,
  children,
  action,
  onConfirm,
  onClose,
  isDanger = false,
  isBusy = false,
}: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind={isDanger ? 'danger' : 'primary'} onClick={onConfirm} isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
