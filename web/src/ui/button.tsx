// The button. A disabled one with a reason stays in the tab order, so that the reason can be read.

import { type MouseEvent, type ReactNode, type Ref, useId } from 'react'
import styles from './button.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { Keys } from './keys.tsx'
import { Tooltip } from './tooltip.tsx'

export interface ButtonProps {
  readonly children: ReactNode
  /** With the event: a menu or popover whose trigger this is needs it. */
  readonly onClick?: ((event: MouseEvent<HTMLButtonElement>) => void) | undefined
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly isDisabled?: boolean | undefined
  /** The reason of being disabled, shown on hover and focus. */
  readonly why?: string | undefined
  readonly isBusy?: boolean | undefined
  readonly type?: 'button' | 'submit'
  /** Such as `Ctrl Enter`, shown in the button. */
  readonly keys?: string | undefined
  readonly icon?: IconName | undefined
  readonly label?: string | undefined
  readonly size?: 'normal' | 'small'
  readonly form?: string | undefined
  readonly autoFocus?: boolean
  readonly isPressed?: boolean | undefined
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({
  children,
  onClick,
  kind = 'plain',
  isDisabled = false,
  why,
  isBusy = false,
  type = 'button',
  keys,
  icon,
  label,
  size = 'normal',
  form,
  autoFocus = false,
  isPressed,
  ref,
  ...rest
}: ButtonProps) {
  const reasonId = useId()
  const isExplained = isDisabled && why !== undefined && why !== ''
  const isOff = isDisabled || isBusy
  const button = (
    <button
      {...rest}
      ref={ref}
      type={type}
      form={form}
      data-icon={icon}
      className={cx(styles.button, styles[kind], size === 'small' && styles.small, isBusy && styles.busy)}
      onClick={(event) => {
        if (isOff) {
          event.preventDefault()
          return
        }
        onClick?.(event)
      }}
      disabled={isDisabled && !isExplained}
      aria-disabled={isOff ? true : undefined}
      aria-busy={isBusy ? true : undefined}
      aria-label={label}
      aria-pressed={isPressed}
      aria-describedby={isExplained ? reasonId : undefined}
      aria-keyshortcuts={keys?.replaceAll(' ', '+').replace('Ctrl', 'Control')}
      // biome-ignore lint/a11y/noAutofocus: asked for by dialogs, whose first field it is
      autoFocus={autoFocus}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      <span className={styles.word}>{children}</span>
      {keys === undefined ? null : <Keys keys={keys} isOnSolid={kind === 'primary' || kind === 'danger'} />}
    </button>
  )
  if (!isExplained) return button
  return (
    <>
      <Tooltip text={why}>{button}</Tooltip>
      <span id={reasonId} className="visually-hidden">
        {why}
      </span>
    </>
  )
}
