// A button that is only an icon. Its label is its accessible name and its tooltip.

import { type MouseEvent, type Ref, useId } from 'react'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import styles from './icon-button.module.css'
import type { IconName } from './icons.ts'
import { Keys } from './keys.tsx'
import { Tooltip } from './tooltip.tsx'

export interface IconButtonProps {
  readonly icon: IconName
  readonly label: string
  /** With the event: a menu or popover whose trigger this is needs it. */
  readonly onClick?: ((event: MouseEvent<HTMLButtonElement>) => void) | undefined
  readonly isDisabled?: boolean | undefined
  readonly why?: string | undefined
  readonly keys?: string | undefined
  readonly size?: 'normal' | 'small'
  readonly isPressed?: boolean | undefined
  readonly side?: 'top' | 'bottom' | 'left' | 'right'
  readonly ref?: Ref<HTMLButtonElement>
}

export function IconButton({
  icon,
  label,
  onClick,
  isDisabled = false,
  why,
  keys,
  size = 'normal',
  isPressed,
  side = 'top',
  ref,
  ...rest
}: IconButtonProps) {
  const reasonId = useId()
  const isExplained = isDisabled && why !== undefined && why !== ''
  const text = isExplained ? why : label
  return (
    <>
      <Tooltip
        side={side}
        text={
          keys === undefined ? (
            text
          ) : (
            <span className={styles.tip}>
              {text} <Keys keys={keys} isOnSolid />
            </span>
          )
        }
      >
        <button
          {...rest}
          ref={ref}
          type="button"
          className={cx(styles.button, size === 'small' && styles.small)}
          onClick={(event) => {
            if (!isDisabled) onClick?.(event)
          }}
          aria-disabled={isDisabled ? true : undefined}
          aria-label={label}
          aria-pressed={isPressed}
          aria-describedby={isExplained ? reasonId : undefined}
        >
          <Icon name={icon} />
        </button>
      </Tooltip>
      {isExplained ? (
        <span id={reasonId} className="visually-hidden">
          {why}
        </span>
      ) : null}
    </>
  )
}
