// A question over the page that must be answered first.

import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { t } from '../words.ts'
import { cx } from './cx.ts'
import styles from './dialog.module.css'
import { useFocusReturn } from './focus-return.ts'
import { IconButton } from './icon-button.tsx'

export interface DialogProps {
  readonly title: ReactNode
  readonly children: ReactNode
  readonly onClose: () => void
  readonly foot?: ReactNode
  readonly width?: 'normal' | 'wide'
  /** Refuses to close by Esc or a click beside it, as for the sign-in over a page. */
  readonly isFirm?: boolean
}

export function Dialog({ title, children, onClose, foot, width = 'normal', isFirm = false }: DialogProps) {
  const finalFocus = useFocusReturn()
  return (
    <Base.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen && !isFirm) onClose()
      }}
      disablePointerDismissal={isFirm}
    >
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup
            data-modal=""
            className={cx(styles.dialog, width === 'wide' && styles.wide)}
            finalFocus={finalFocus}
          >
            <header className={styles.head}>
              <Base.Title className={styles.title}>{title}</Base.Title>
              {isFirm ? null : <IconButton icon="close" label={t('Close')} onClick={onClose} side="bottom" />}
            </header>
            <div className={styles.body}>{children}</div>
            {foot === undefined || foot === null ? null : <footer className={styles.foot}>{foot}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}
