// Lines before and after, with what goes out and what comes in. Equal lines far from a change are folded.

import { useMemo, useState } from 'react'
import { t } from '../words.ts'
import { cx } from './cx.ts'
import styles from './diff.module.css'
import { type DiffPart, diffLines, foldSame } from './line-diff.ts'
import { PlainText } from './plain-text.tsx'

export interface DiffProps {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const signs = { same: ' ', out: '−', in: '+' } as const

export function Diff({ before, after }: DiffProps) {
  const parts = useMemo(() => foldSame(diffLines(before, after)), [before, after])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.diff} aria-label={t('Changed lines')} tabIndex={0}>
      <div className={styles.lines}>
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
          <Part key={index} part={part} />
        ))}
      </div>
    </section>
  )
}

const said = (kind: 'out' | 'in'): string => (kind === 'out' ? t('removed') : t('added'))

function Part({ part }: { readonly part: DiffPart }) {
  const [isOpen, setOpen] = useState(false)
  if (part.isFold && !isOpen) {
    return (
      <button type="button" className={styles.fold} onClick={() => setOpen(true)}>
        {t('{count, plural, one {# equal line} other {# equal lines}}', { count: part.lines.length })}
      </button>
    )
  }
  return part.lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: equal lines have no other identity
    <div key={index} className={cx(styles.line, styles[line.kind])}>
      <span className={styles.sign} aria-hidden="true">
        {signs[line.kind]}
      </span>
      {line.kind === 'same' ? null : <span className="visually-hidden">{said(line.kind)} </span>}
      <PlainText text={line.text} limit={2000} />
    </div>
  ))
}
