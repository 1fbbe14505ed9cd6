// Objects of a rule in a cell: two of them as chips, the rest behind a count that opens what all of them stand for.

import { sizeOf } from '@gateway/server/net/ranges'
import { memo, type ReactNode } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { Link } from '../../../ui/link.tsx'
import { PlainText } from '../../../ui/plain-text.tsx'
import { Popover } from '../../../ui/popover.tsx'
import {
  kindOfId,
  literalOf,
  type ObjectIndex,
  pageOfObject,
  printRanges,
  resolveAddresses,
  titleOf,
} from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import { kindOf } from '../kinds.ts'
import styles from './object-chips.module.css'
import { isAny } from './rows.ts'

export interface ObjectChipsProps {
  readonly ids: readonly string[]
  readonly index: ObjectIndex
  readonly isNegated?: boolean
  /** What the field is called, for the popover. */
  readonly label: string
  readonly shown?: number
}

export const ObjectChips = memo(function ObjectChips({
  ids,
  index,
  isNegated = false,
  label,
  shown = 2,
}: ObjectChipsProps) {
  if (isAny(ids)) return <span className={styles.any}>{t('any')}</span>
  const first = ids.slice(0, shown)
  const rest = ids.length - first.length
  return (
    <span className={styles.chips}>
      {isNegated ? <span className={styles.not}>{t('all but')}</span> : null}
      {first.map((id) => (
        <ObjectChip key={id} id={id} index={index} />
      ))}
      {rest > 0 ? (
        <Popover
          label={label}
          trigger={
            <button type="button" className={styles.more} tabIndex={-1}>
              {t('+{count}', { count: rest })}
            </button>
          }
        >
          <ObjectList ids={ids} index={index} />
        </Popover>
      ) : null}
    </span>
  )
})

function ObjectChip({ id, index }: { readonly id: string; readonly index: ObjectIndex }) {
  const object = index.byId.get(id)
  const { word, icon } = kindOf(id)
  const literal = object ? literalOf(object) : ''
  const title = titleOf(index, id)
  return (
    <span
      className={styles.chip}
      data-missing={object || index.all.length === 0 ? undefined : ''}
      title={[t(word), literal === title ? '' : literal, object?.comment ?? '']
        .filter((part) => part !== '')
        .join(' · ')}
    >
      <Icon name={icon} size={12} />
      <span className={styles.word} data-mono={literal === title ? '' : undefined} dir="auto">
        {title}
      </span>
    </span>
  )
}

const shownAddresses = 8

/** All of them, with what they stand for. */
export function ObjectList({
  ids,
  index,
}: {
  readonly ids: readonly string[]
  readonly index: ObjectIndex
}): ReactNode {
  return (
    <ul className={styles.list}>
      {ids.map((id) => (
        <li key={id} className={styles.item}>
          <span className={styles.name}>
            <Icon name={kindOf(id).icon} size={14} />
            <ObjectLink id={id} index={index} />
          </span>
          <Values id={id} index={index} />
        </li>
      ))}
    </ul>
  )
}

function ObjectLink({ id, index }: { readonly id: string; readonly index: ObjectIndex }) {
  const path = pageOfObject(id)
  const title = <PlainText text={titleOf(index, id)} limit={80} />
  return path === null ? title : <Link to={path}>{title}</Link>
}

const addressed = new Set(['ip', 'ip_range', 'subnet', 'address_list', 'ip_address_list'])

function Values({ id, index }: { readonly id: string; readonly index: ObjectIndex }) {
  if (!addressed.has(kindOfId(id))) {
    const object = index.byId.get(id)
    return <span className={styles.values}>{object ? literalOf(object) : ''}</span>
  }
  const { ranges, unknown } = resolveAddresses(index, id)
  const texts = printRanges(ranges, shownAddresses)
  const rest = ranges.length / 2 - texts.length
  return (
    <span className={styles.values}>
      {texts.join(', ')}
      {rest > 0
        ? t(' and {rest} more, {count, plural, one {# address} other {# addresses}}', {
            rest,
            count: sizeOf(ranges),
          })
        : ''}
      {unknown.length > 0 ? ` ${unknown.map(({ title }) => title).join(', ')}` : ''}
    </span>
  )
}
