// Actions on one thing behind a button. Keys are shown beside their action, which is how people learn them.

import { Menu as Base } from '@base-ui/react/menu'
import { Fragment, isValidElement, type ReactElement, type ReactNode } from 'react'
import button from './button.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import iconButton from './icon-button.module.css'
import type { IconName } from './icons.ts'
import { Keys } from './keys.tsx'
import list from './list.module.css'

export interface MenuItem {
  readonly label: string
  readonly onSelect: () => void
  readonly keys?: string | undefined
  readonly icon?: IconName | undefined
  readonly isDisabled?: boolean | undefined
  readonly why?: string | undefined
  readonly isDanger?: boolean | undefined
  /** A line above it. */
  readonly isApart?: boolean | undefined
}

export interface MenuProps {
  readonly label: string
  /** A button with only this icon; without it a button with the label. */
  readonly icon?: IconName | undefined
  readonly items: readonly MenuItem[]
  /** The trigger, when it is neither. */
  readonly children?: ReactNode
  readonly align?: 'start' | 'end'
}

export function Menu({ label, icon, items, children, align = 'end' }: MenuProps) {
  return (
    <Base.Root>
      {triggerOf(label, icon, children)}
      <Base.Portal>
        <Base.Positioner className={list.positioner} sideOffset={4} align={align} collisionPadding={8}>
          <Base.Popup className={cx(list.popup, list.list)} aria-label={label}>
            {items.map((item) => (
              <Fragment key={item.label}>
                {item.isApart ? <Base.Separator className={list.separator} /> : null}
                <Base.Item
                  className={cx(list.item, item.isDanger && list.danger)}
                  onClick={item.onSelect}
                  disabled={item.isDisabled ?? false}
                  label={item.label}
                >
                  {item.icon === undefined ? null : (
                    <span className={list.icon}>
                      <Icon name={item.icon} />
                    </span>
                  )}
                  <span className={list.text}>
                    {item.label}
                    {item.isDisabled && item.why !== undefined ? <span className={list.hint}>{item.why}</span> : null}
                  </span>
                  {item.keys === undefined ? null : <Keys keys={item.keys} />}
                </Base.Item>
              </Fragment>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function triggerOf(label: string, icon: IconName | undefined, children: ReactNode) {
  if (isValidElement(children)) return <Base.Trigger render={children as ReactElement} aria-label={label} />
  if (children !== undefined && children !== null) {
    return (
      <Base.Trigger className={cx(button.button, button.quiet)} aria-label={label}>
        {children}
        <Icon name="chevron-down" size={14} />
      </Base.Trigger>
    )
  }
  if (icon !== undefined) {
    return (
      <Base.Trigger className={iconButton.button} aria-label={label} title={label}>
        <Icon name={icon} />
      </Base.Trigger>
    )
  }
  return (
    <Base.Trigger className={cx(button.button, button.plain)}>
      {label}
      <Icon name="chevron-down" size={14} />
    </Base.Trigger>
  )
}
