// The state of something as mark, shape and word, so that no state is told by colour alone.

import type { ReactNode } from 'react'
import { msg, t } from '../words.ts'
import { cx } from './cx.ts'
import styles from './status.module.css'

export type StatusState =
  | 'active'
  | 'activating'
  | 'deactivating'
  | 'reloading'
  | 'failed'
  | 'inactive'
  | 'stored'
  | 'ok'
  | 'warning'
  | 'unknown'

export interface StatusProps {
  readonly state: StatusState
  /** Words instead of the usual ones. */
  readonly children?: ReactNode
}

type Shape = 'disc' | 'half' | 'square' | 'dash' | 'ring' | 'triangle' | 'dots'

const shapes: Readonly<Record<StatusState, Shape>> = {
  active: 'disc',
  ok: 'disc',
  activating: 'half',
  deactivating: 'half',
  reloading: 'half',
  failed: 'square',
  inactive: 'dash',
  stored: 'ring',
  warning: 'triangle',
  unknown: 'dots',
}

const words: Readonly<Record<StatusState, string>> = {
  active: msg('Active'),
  ok: msg('In order'),
  activating: msg('Activating'),
  deactivating: msg('Deactivating'),
  reloading: msg('Reloading'),
  failed: msg('Failed'),
  inactive: msg('Inactive'),
  stored: msg('Stored, not applied'),
  warning: msg('Warning'),
  unknown: msg('Unknown'),
}

export function Status({ state, children }: StatusProps) {
  return (
    <span className={cx(styles.status, styles[state])} data-state={state}>
      <StatusMark state={state} />
      <span className={styles.word}>{children ?? t(words[state])}</span>
    </span>
  )
}

/** Only the shape; the word must be beside it. */
export function StatusMark({ state }: { readonly state: StatusState }) {
  return (
    <svg
      className={cx(styles.mark, styles[`${state}Mark`])}
      width="10"
      height="10"
      viewBox="0 0 10 10"
      aria-hidden="true"
    >
      <ShapeOf shape={shapes[state]} />
    </svg>
  )
}

function ShapeOf({ shape }: { readonly shape: Shape }) {
  switch (shape) {
    case 'disc':
      return <circle cx="5" cy="5" r="4" fill="currentColor" />
    case 'half':
      return (
        <>
          <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" />
          <path d="M5 1.5a3.5 3.5 0 0 0 0 7z" fill="currentColor" />
        </>
      )
    case 'square':
      return <rect x="1" y="1" width="8" height="8" rx="1" fill="currentColor" />
    case 'dash':
      return <path d="M1 5h8" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    case 'ring':
      return <circle cx="5" cy="5" r="3.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
    case 'triangle':
      return <path d="M5 1 9.4 9H.6z" fill="currentColor" />
    case 'dots':
      return <circle cx="5" cy="5" r="3.25" fill="none" stroke="currentColor" strokeDasharray="1.6 1.6" />
  }
}
