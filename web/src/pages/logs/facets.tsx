// The most frequent values of the lines on screen. A click shows only lines with the value, with Alt those without it.

import { type ReactNode, useState } from 'react'
import { cx } from '../../ui/cx.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, t } from '../../words.ts'
import type { Pick } from './cells.tsx'
import styles from './explorer.module.css'
import type { LogFilter } from './filter.ts'
import { facetOf, type LogLine } from './lines.ts'
import type { RuleWord } from './rule-words.ts'
import type { LogSource } from './source.ts'

interface FacetsProps {
  readonly source: LogSource
  readonly lines: readonly LogLine[]
  /** There are lines that were not read. */
  readonly isCut: boolean
  readonly filter: LogFilter
  readonly onPick: Pick
  readonly titleOfDevice: (device: string) => string
  readonly ruleWord: RuleWord
}

export function Facets({ source, lines, isCut, filter, onPick, titleOfDevice, ruleWord }: FacetsProps): ReactNode {
  return (
    <nav className={styles.facets} aria-label={t('Most frequent values')}>
      {isCut ? <p className="muted">{t('Counted in the lines that were read.')}</p> : null}
      {source.facets.map(({ column, title }) => {
        const values = facetOf(lines, column)
        const most = values[0]?.count ?? 1
        const excluded = filter.conditions.filter((one) => one.column === column && one.isNot)
        if (values.length === 0 && excluded.length === 0) return null
        return (
          <section key={column} className={styles.facet} aria-label={t(title)}>
            <h3 className={styles.facetTitle}>{t(title)}</h3>
            <ul className={styles.facetValues}>
              {values.map(({ value, count }) => {
                const raw = ruleWord(column, value) ?? source.wordOf?.(column, value) ?? value
                const word = column.endsWith('_interface') ? titleOfDevice(raw) : raw
                const isOn = filter.conditions.some((one) => one.column === column && one.value === value && !one.isNot)
                return (
                  <li key={value}>
                    <button
                      type="button"
                      className={styles.facetValue}
                      aria-pressed={isOn}
                      onClick={(event) => onPick(column, value, event.altKey)}
                      title={t('Only {value}. With Alt: without it.', { value: word })}
                    >
                      <span className={styles.facetWord}>
                        <PlainText text={word === '' ? value : word} limit={80} />
                      </span>
                      <span className={styles.facetCount}>{printCount(count, currentLanguage())}</span>
                      <span
                        className={styles.facetBar}
                        style={{ inlineSize: `${Math.max(2, (count / most) * 84)}%` }}
                      />
                    </button>
                  </li>
                )
              })}
              {source.values?.[column] ? (
                <AllValues
                  column={column}
                  read={source.values[column]}
                  shown={values.map(({ value }) => value)}
                  onPick={onPick}
                />
              ) : null}
              {excluded.map(({ value }) => (
                <li key={`!${value}`}>
                  <button
                    type="button"
                    className={styles.facetValue}
                    aria-pressed="true"
                    onClick={() => onPick(column, value, true)}
                    title={t('Show lines with {value} again', { value })}
                  >
                    <span className={cx(styles.facetWord, styles.isNot)}>
                      <PlainText text={ruleWord(column, value) ?? source.wordOf?.(column, value) ?? value} limit={80} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </nav>
  )
}

interface AllValuesProps {
  readonly column: string
  readonly read: () => Promise<readonly string[]>
  readonly shown: readonly string[]
  readonly onPick: Pick
}

/** Values of the whole log, also of times that are not on screen. */
function AllValues({ column, read, shown, onPick }: AllValuesProps): ReactNode {
  const [values, setValues] = useState<readonly string[] | null>(null)
  if (values === null) {
    return (
      <li>
        <button
          type="button"
          className={styles.facetValue}
          onClick={() => void read().then(setValues, () => setValues([]))}
        >
          <span className={styles.facetCount}>{t('All values')}</span>
        </button>
      </li>
    )
  }
  return values
    .filter((value) => !shown.includes(value))
    .map((value) => (
      <li key={value}>
        <button type="button" className={styles.facetValue} onClick={(event) => onPick(column, value, event.altKey)}>
          <span className={styles.facetWord}>
            <PlainText text={value} limit={80} />
          </span>
        </button>
      </li>
    ))
}
