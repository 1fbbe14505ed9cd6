// Cells of a line: a click on a value shows only lines with it, with Alt those without it; addresses lead to their host page.

import { Fragment, type MouseEvent, type ReactNode } from 'react'
import { RuleNumber } from '../../contract/render/rule-number.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { hostPath } from '../../util/address.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './explorer.module.css'
import type { LogLine } from './lines.ts'
import { type LogColumn, type LogSource, pathOfRule, type RuleMention } from './source.ts'

export type Pick = (column: string, value: string, isNot: boolean) => void

/** What the grid gives to each cell beside the line. */
export interface CellTools {
  readonly source: LogSource
  readonly zone: string
  readonly onPick: Pick
  /** The name of a rule as it is now; empty while it is not known. */
  readonly nameOfRule: (rule: RuleMention) => string
  /** The title of the connection behind a device. */
  readonly titleOfDevice: (device: string) => string
}

export function clockText(time: number, zone: string): string {
  const language = currentLanguage()
  const isToday = new Date().toDateString() === new Date(time).toDateString()
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    timeZone: zone,
    ...(isToday ? {} : { month: 'short', day: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(isToday ? { fractionalSecondDigits: 1 as const } : {}),
  }).format(time)
}

interface ValueProps {
  readonly column: string
  readonly value: string
  readonly word: string
  readonly onPick: Pick
  readonly className?: string | undefined
}

export function Value({ column, value, word, onPick, className }: ValueProps): ReactNode {
  if (value === '') return null
  const onClick = (event: MouseEvent): void => {
    event.stopPropagation()
    onPick(column, value, event.altKey)
  }
  return (
    <button
      type="button"
      tabIndex={-1}
      className={cx(styles.value, className)}
      onClick={onClick}
      title={t('Only {value}. With Alt: without it.', { value: word })}
    >
      <PlainText text={word} limit={200} />
    </button>
  )
}

/** Columns that say what was done, or how bad it is. */
const toned = new Set(['action', 'result', 'priority', 'severity'])

export function LineCell(props: CellTools & { readonly line: LogLine; readonly column: LogColumn }): ReactNode {
  const { line, column, source, zone, onPick, titleOfDevice } = props
  const tone = source.toneOf?.(line, column.id) ?? null
  if (column.id === 'time') {
    return (
      <time className={styles.time} dateTime={new Date(line.time).toISOString()}>
        {clockText(line.time, zone)}
      </time>
    )
  }
  if (column.id === 'rule') return <RuleCell {...props} />
  if (column.isText) return <PlainText text={String(line.cells[column.id] ?? '')} limit={400} />
  const isToned = toned.has(column.id)
  const parts = column.parts ?? [column.id]
  const host = parts
    .map((part) => (source.addresses.includes(part) ? hostPath(String(line.cells[part] ?? '')) : null))
    .find(Boolean)
  return (
    <span className={cx(styles.cell, column.isMono && styles.mono, isToned && tone !== null && styles[tone])}>
      {parts.map((part, at) => {
        const cell = line.cells[part] ?? null
        const value = cell === null ? '' : String(cell)
        const raw = source.wordOf?.(part, cell) ?? value
        const word = part.endsWith('_interface') ? titleOfDevice(raw) : raw
        if (value === '' || word === '' || (part.endsWith('port') && value === '0')) return null
        return (
          <Fragment key={part}>
            {at === 0 ? null : <span className={styles.port}>:</span>}
            <Value
              column={part}
              value={value}
              word={word}
              onPick={onPick}
              className={at === 0 ? undefined : styles.port}
            />
          </Fragment>
        )
      })}
      {host ? (
        <Link
          to={host}
          className={styles.host}
          label={t('Host page of {address}', { address: host.replace(/.*\//, '') })}
        >
          <Icon name="host" size={14} />
        </Link>
      ) : null}
    </span>
  )
}

function RuleCell({ line, source, nameOfRule, onPick }: CellTools & { readonly line: LogLine }): ReactNode {
  const rule = source.ruleOf?.(line) ?? null
  if (!rule || rule.table === 'absent' || rule.table === 'SYS') return null
  const path = pathOfRule(rule)
  return (
    <span className={styles.cell}>
      {path === null ? (
        <Value column="rule_id" value={rule.id} word={`${rule.table.toUpperCase()} ${rule.id}`} onPick={onPick} />
      ) : (
        <Link to={path}>
          <RuleNumber table={rule.table} id={rule.id} />
        </Link>
      )}
      <span className={styles.ruleName}>
        <PlainText text={nameOfRule(rule)} limit={60} />
      </span>
    </span>
  )
}
