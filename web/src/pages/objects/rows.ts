// Objects as rows: what they stand for in short, how often they are used, and which of them a filter leaves. Pure.

import { type AnyObject, kindOfId, literalOf } from '../../util/objects.ts'
import { t } from '../../words.ts'
import { kindById, type ObjectGroup } from './kinds.ts'

export interface ObjectRow {
  readonly key: string
  readonly object: AnyObject
  readonly value: string
  readonly uses: number
  readonly text: string
  /** Countries are always there and cannot be changed. */
  readonly isFixed: boolean
}

export interface ObjectFilter {
  readonly text: string
  /** Kind of object; null for all. */
  readonly kind: string | null
  readonly isOnlyUnused: boolean
}

export function objectRows(
  all: readonly AnyObject[],
  group: ObjectGroup | null,
  uses: ReadonlyMap<string, number>,
): readonly ObjectRow[] {
  return all.flatMap((object) => {
    const kindId = kindOfId(object.id)
    const kind = kindById.get(kindId)
    const isCountry = kindId === 'iplist'
    if (group === null ? !kind : isCountry ? group !== 'countries' : kind?.group !== group) return []
    const value = valueText(object)
    return [
      {
        key: object.id,
        object,
        value,
        uses: uses.get(object.id) ?? 0,
        text: `${object.title}\n${value}\n${object.comment}\n${object.id}`.toLowerCase(),
        isFixed: isCountry,
      },
    ]
  })
}

const daysText = (days: readonly number[]): string => {
  const names = [t('Mo'), t('Tu'), t('We'), t('Th'), t('Fr'), t('Sa'), t('Su')]
  const sorted = days.toSorted((a, b) => a - b)
  const isRun = sorted.length > 2 && sorted.every((day, at) => at === 0 || day === (sorted[at - 1] ?? 0) + 1)
  const word = (day: number | undefined): string => names[(day ?? 1) - 1] ?? ''
  if (sorted.length === 7) return t('every day')
  return isRun ? `${word(sorted[0])}–${word(sorted.at(-1))}` : sorted.map(word).join(' ')
}

export function valueText(object: AnyObject): string {
  if (object.type === 'time_range') {
    const isWholeDay = object.start === object.end
    return `${daysText(object.weekdays ?? [])} ${isWholeDay ? t('all day') : literalOf(object)}`
  }
  if (object.values === undefined) return literalOf(object)
  return t('{count, plural, one {# entry} other {# entries}}', { count: object.values.length })
}

export function filterObjects(
  rows: readonly ObjectRow[],
  { text, kind, isOnlyUnused }: ObjectFilter,
): readonly ObjectRow[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return rows.filter(
    (row) =>
      (kind === null || kindOfId(row.key) === kind) &&
      (!isOnlyUnused || (row.uses === 0 && !row.isFixed)) &&
      words.every((word) => row.text.includes(word)),
  )
}

/** Lines that were pasted: each value once, without blanks. */
export const readValues = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]
