// Text that came from outside, shown as text: invisible characters as marks, its own direction, a bounded length.

import { hasMarks, partsOf } from './marks.ts'
import styles from './plain-text.module.css'

export interface PlainTextProps {
  readonly text: string
  /** Longer text is cut; the whole of it is in the tooltip up to 2,000 characters. */
  readonly limit?: number
  readonly isMono?: boolean
}

export function PlainText({ text, limit = 500, isMono = false }: PlainTextProps) {
  const name = isMono ? 'mono' : undefined
  if (text.length <= limit && !hasMarks(text)) {
    return (
      <bdi className={name} dir="auto">
        {text}
      </bdi>
    )
  }
  const title =
    text.length > limit
      ? partsOf(text, 2000)
          .map((part) => part.text)
          .join('')
      : undefined
  return (
    <bdi className={name} dir="auto" title={title}>
      {partsOf(text, limit).map((part, index) =>
        part.isMark ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
          <span key={index} className={styles.mark}>
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </bdi>
  )
}
