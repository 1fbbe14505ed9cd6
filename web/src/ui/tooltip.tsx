// A short text beside what the pointer or the focus is on. It repeats or explains, and is never the only place of a fact.

import { Tooltip as Base } from '@base-ui/react/tooltip'
import { isValidElement, type ReactElement, type ReactNode } from 'react'
import styles from './tooltip.module.css'

export interface TooltipProps {
  readonly text: ReactNode
  readonly children: ReactNode
  readonly side?: 'top' | 'bottom' | 'left' | 'right'
}

export function Tooltip({ text, children, side = 'top' }: TooltipProps) {
  if (text === '' || text === null || text === undefined) return children
  const trigger: ReactElement = isValidElement(children) ? (children as ReactElement) : <span>{children}</span>
  return (
    <Base.Root>
      <Base.Trigger render={trigger} delay={350} closeDelay={60} closeOnClick={false} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} side={side} sideOffset={6} collisionPadding={8}>
          <Base.Popup className={styles.popup}>{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
