// A link to a page of the console, or to an address of the same origin. The shell takes the click through `LinkHandler`,
// so that this file knows no router and a click with Ctrl, Shift or the middle button stays with the browser.

import { createContext, type MouseEvent, type ReactNode, useContext } from 'react'
import { cx } from './cx.ts'
import styles from './link.module.css'

/** Opens an address of the console without loading the page; says false when it is not one of its own. */
export type OpenHref = (href: string) => boolean

export const LinkHandler = createContext<OpenHref | null>(null)

export interface LinkProps {
  /** Path of a page such as `policy/rules/forward/42`, or an address that begins with a slash. */
  readonly to: string
  readonly children: ReactNode
  readonly search?: Readonly<Record<string, string>> | undefined
  readonly label?: string | undefined
  readonly isQuiet?: boolean
  readonly className?: string | undefined
  readonly onClick?: (() => void) | undefined
  /** Marks the page that is open, as `aria-current`. */
  readonly isCurrent?: boolean
}

/** The address of a page, with its search in a stable order. */
export function hrefTo(to: string, search?: Readonly<Record<string, string>>): string {
  const path = to.startsWith('/') ? to : `/ui/${to}`
  const query = new URLSearchParams(search ?? {}).toString()
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
}

const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented

export function Link({
  to,
  children,
  search,
  label,
  isQuiet = false,
  className,
  onClick,
  isCurrent = false,
}: LinkProps) {
  const open = useContext(LinkHandler)
  const href = hrefTo(to, search)
  const onLinkClick = (event: MouseEvent) => {
    if (!isPlainClick(event)) return
    onClick?.()
    if (open?.(href)) event.preventDefault()
  }
  return (
    <a
      className={cx(isQuiet && styles.quiet, className)}
      href={href}
      onClick={onLinkClick}
      aria-label={label}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </a>
  )
}
