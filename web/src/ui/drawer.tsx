// A panel from the side or from below. Beside the list it is not modal, so that the list stays usable; a review is modal.

import { Dialog as Base } from '@base-ui/react/dialog'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { t } from '../words.ts'
import { cx } from './cx.ts'
import styles from './drawer.module.css'
import { useFocusReturn } from './focus-return.ts'
import { IconButton } from './icon-button.tsx'
import { PlainText } from './plain-text.tsx'

export interface DrawerProps {
  readonly title: ReactNode
  readonly children: ReactNode
  readonly onClose: () => void
  readonly foot?: ReactNode
  readonly width?: 'normal' | 'wide'
  readonly side?: 'right' | 'bottom'
  readonly isModal?: boolean
  /** Beside the title, such as Copy and Remove. */
  readonly actions?: ReactNode
  /** Under the title, such as tabs. */
  readonly head?: ReactNode
  /** Keys of the whole panel, its head and foot too. */
  readonly onKey?: ((event: KeyboardEvent) => void) | undefined
}

export function Drawer({
  title,
  children,
  onClose,
  foot,
  width = 'normal',
  side = 'right',
  isModal = false,
  actions,
  head,
  onKey,
}: DrawerProps) {
  const popup = useRef<HTMLDivElement>(null)
  const finalFocus = useFocusReturn()
  return (
    <Base.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose()
      }}
      modal={isModal}
      disablePointerDismissal
    >
      <Base.Portal>
        {isModal ? <Base.Backdrop className={styles.backdrop} /> : null}
        <Base.Popup
          ref={popup}
          data-modal={isModal ? '' : undefined}
          className={cx(styles.drawer, styles[side], width === 'wide' && styles.wide)}
          initialFocus={() => firstField(popup.current)}
          finalFocus={finalFocus}
          onKeyDown={onKey}
        >
          <header className={styles.head}>
            <div className={styles.line}>
              <Base.Title className={styles.title}>
                {typeof title === 'string' ? <PlainText text={title} limit={200} /> : title}
              </Base.Title>
              <div className={styles.actions}>
                {actions}
                <IconButton icon="close" label={t('Close')} keys="Esc" onClick={onClose} side="bottom" />
              </div>
            </div>
            {head}
          </header>
          <div className={styles.body} data-drawer-body="">
            {children}
          </div>
          {foot === undefined || foot === null ? null : <footer className={styles.foot}>{foot}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** What the page focused itself, or else the first field; without one the panel itself, so that it is read from its title. */
function firstField(popup: HTMLElement | null): HTMLElement | boolean {
  if (popup === null) return true
  const active = document.activeElement
  if (active instanceof HTMLElement && active !== popup && popup.contains(active)) return active
  const fields =
    '[data-drawer-body] :is(input, textarea, [role="combobox"]):not(:disabled, [type="checkbox"], [type="radio"], [aria-hidden])'
  return popup.querySelector<HTMLElement>(fields) ?? popup
}
