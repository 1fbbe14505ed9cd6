// More about one thing, on click, without leaving the place.

import { Popover as Base } from '@base-ui/react/popover'
import { isValidElement, type ReactElement, type ReactNode } from 'react'
import styles from './popover.module.css'

export interface PopoverProps {
  readonly trigger: ReactNode
  readonly children: ReactNode
  readonly label: string
  readonly align?: 'start' | 'center' | 'end'
  readonly isOpen?: boolean | undefined
  readonly onOpenChange?: ((isOpen: boolean) => void) | undefined
}

export function Popover({ trigger, children, label, align = 'start', isOpen, onOpenChange }: PopoverProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(next) => onOpenChange?.(next)}>
      {isValidElement(trigger) && typeof trigger.type !== 'string' ? (
        <Base.Trigger render={trigger as ReactElement} />
      ) : (
        <Base.Trigger className={styles.trigger} aria-label={typeof trigger === 'string' ? undefined : label}>
          {trigger}
        </Base.Trigger>
      )}
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={6} align={align} collisionPadding={8}>
          <Base.Popup className={styles.popup} aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
