// Many values as lines of text, up to 10,000: plain typing and pasting, numbers and faults in the margin.
// Only the margin of the visible lines is in the document.

import { useId, useRef, useState } from 'react'
import { t } from '../words.ts'
import control from './control.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import styles from './lines-editor.module.css'
import type { InputProps } from './text-input.tsx'

export interface LinesEditorProps extends InputProps {
  readonly value: readonly string[]
  readonly onChange: (lines: readonly string[]) => void
  /** By the index of the line, counted from 0. */
  readonly problems?: ReadonlyMap<number, string> | undefined
  /** Visible lines; the person can make it taller. */
  readonly lines?: number
}

const lineHeight = 20
const padding = 6
const shownProblems = 5

export function LinesEditor({
  value,
  onChange,
  problems,
  lines = 6,
  label,
  id,
  describedBy,
  isInvalid = false,
  isDisabled = false,
  placeholder,
  autoFocus = false,
}: LinesEditorProps) {
  const [top, setTop] = useState(0)
  const area = useRef<HTMLTextAreaElement>(null)
  const problemsId = useId()
  const faults = [...(problems ?? new Map<number, string>())].toSorted(([a], [b]) => a - b)
  const count = Math.max(1, value.length)
  const first = Math.floor(top / lineHeight)
  const last = Math.min(count, first + Math.ceil((area.current?.clientHeight ?? lines * lineHeight) / lineHeight) + 1)
  const digits = String(count).length

  const goTo = (line: number) => {
    const element = area.current
    if (element === null) return
    const start = value.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0)
    element.focus()
    element.setSelectionRange(start, start + (value[line]?.length ?? 0))
    element.scrollTop = Math.max(0, (line - 2) * lineHeight)
  }

  return (
    <div>
      <div className={cx(control.control, styles.box, (isInvalid || faults.length > 0) && control.invalid)}>
        <div className={styles.margin} style={{ width: `calc(${digits}ch + 28px)` }} aria-hidden="true">
          <div style={{ transform: `translateY(${padding + first * lineHeight - top}px)` }}>
            {Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset).map((line) => (
              <div
                key={line}
                className={cx(styles.number, problems?.has(line) && styles.bad)}
                title={problems?.get(line)}
              >
                {problems?.has(line) ? <Icon name="error" size={12} /> : null}
                {line + 1}
              </div>
            ))}
          </div>
        </div>
        <textarea
          ref={area}
          id={id}
          className={styles.area}
          rows={lines}
          wrap="off"
          dir="ltr"
          value={value.join('\n')}
          onChange={(event) => {
            const text = event.currentTarget.value
            onChange(text === '' ? [] : text.split('\n'))
          }}
          onScroll={(event) => setTop(event.currentTarget.scrollTop)}
          disabled={isDisabled}
          placeholder={placeholder}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-label={label}
          aria-invalid={isInvalid || faults.length > 0 ? true : undefined}
          aria-describedby={cx(describedBy, faults.length > 0 && problemsId) || undefined}
          // biome-ignore lint/a11y/noAutofocus: the page decides, for the first field of a form that was just opened
          autoFocus={autoFocus}
        />
      </div>
      <div className={styles.foot}>
        <ul id={problemsId} className={styles.problems}>
          {faults.slice(0, shownProblems).map(([line, text]) => (
            <li key={line}>
              <button type="button" className={styles.problem} onClick={() => goTo(line)}>
                {t('Line {line}: {text}', { line: line + 1, text })}
              </button>
            </li>
          ))}
          {faults.length > shownProblems ? (
            <li className={styles.more}>
              {t('{count, plural, one {and # more line} other {and # more lines}}', {
                count: faults.length - shownProblems,
              })}
            </li>
          ) : null}
        </ul>
        <span className={styles.count}>
          {t('{count, plural, one {# line} other {# lines}}', { count: value.length })}
        </span>
      </div>
    </div>
  )
}
