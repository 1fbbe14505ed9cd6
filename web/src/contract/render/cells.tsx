// Cells of a grid made from a field of the contract: switches, words, names, times, lists. Text of the gateway stays text.

import type { ReactNode } from 'react'
import { Chip } from '../../ui/chip.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { hostPath } from '../../util/address.ts'
import { momentOf } from '../../util/time.ts'
import { heard, t } from '../../words.ts'
import type { ColumnSpec, Item } from '../define.ts'
import type { FormField } from '../schema.ts'
import { refersOf, type Speaking, valueText } from '../values.ts'
import styles from './collection.module.css'

const states = new Set([
  'active',
  'activating',
  'deactivating',
  'failed',
  'inactive',
  'reloading',
  'ok',
  'warning',
  'unknown',
])

interface CellProps {
  readonly field: FormField
  readonly value: unknown
  readonly speaking: Speaking
}

/** What is in a cell; the same value as text is in `valueText`. */
export function FieldCell({ field, value, speaking }: CellProps): ReactNode {
  const { schema, spec, kind, name } = field
  if (value === null || value === undefined || value === '') return null
  const form = schema['x-time']
  if (form !== undefined) {
    const unix = momentOf(value, form, speaking.zone)
    return unix === null ? <span className={styles.faint}>{t('never')}</span> : <Time unix={unix} />
  }
  if (typeof value === 'boolean')
    return value !== (spec.isInverted === true) ? t('yes') : <span className={styles.faint}>{t('no')}</span>
  if (name === 'status' && typeof value === 'string' && states.has(value)) return <Status state={value as 'active'} />
  // Sentences of a status, which are cut nowhere.
  if (name === 'msg') return <PlainText text={[value].flat().map(String).map(heard).join(' ')} limit={600} />
  if (Array.isArray(value)) return <ListCell field={field} list={value} speaking={speaking} />
  if (refersOf(schema, spec).length > 0)
    return <Chip>{<PlainText text={valueText(value, schema, spec, speaking)} limit={60} />}</Chip>
  if (kind === 'text' && typeof value === 'string') {
    const host = hostPath(value)
    if (host !== null)
      return (
        <Link to={host} isQuiet>
          <PlainText text={value} isMono />
        </Link>
      )
    return <PlainText text={value} isMono={/^[0-9a-f:./-]+$/i.test(value) && /[:./]/.test(value)} limit={200} />
  }
  return <PlainText text={valueText(value, schema, spec, speaking)} limit={200} />
}

const shownInCell = 2

function ListCell({
  field,
  list,
  speaking,
}: {
  readonly field: FormField
  readonly list: readonly unknown[]
  readonly speaking: Speaking
}): ReactNode {
  const { schema, spec } = field
  const texts = list.map((one) => valueText([one], schema, spec, speaking))
  const isPlain = refersOf(schema, spec).length > 0 || field.kind === 'chips'
  const more = texts.length - shownInCell
  return (
    <span className={styles.chips} title={texts.slice(0, 50).join(', ')}>
      {texts.slice(0, shownInCell).map((text, at) => {
        const key = `${at} ${text}`
        return isPlain ? (
          <Chip key={key}>
            <PlainText text={text} limit={40} />
          </Chip>
        ) : (
          <span key={key}>
            <PlainText text={text} limit={60} />
            {at === 0 && texts.length > 1 ? ', ' : ''}
          </span>
        )
      })}
      {more > 0 ? <span className={styles.faint}>+{more}</span> : null}
    </span>
  )
}

/** A column that the page describes itself. */
export function OwnCell({
  column,
  row,
  text,
}: {
  readonly column: ColumnSpec
  readonly row: Item
  readonly text: string
}): ReactNode {
  if (column.cell) return column.cell(row)
  const to = column.to?.(row) ?? null
  const content = <PlainText text={text} limit={200} />
  return to === null ? content : <Link to={to}>{content}</Link>
}
