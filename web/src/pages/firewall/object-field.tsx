// A field that takes objects: found by name or by what they stand for. An address or a port that has no object yet is in the
// draft as it was written and gets its object when the draft is reviewed.

import { useMemo } from 'react'
import { Combobox } from '../../ui/combobox.tsx'
import type { FieldIds } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { createFinder, kindOfId, literalOf, type ObjectIndex } from '../../util/objects.ts'
import { t } from '../../words.ts'
import { kindOf } from './kinds.ts'
import { missingOf } from './rules/exchange.ts'

export interface ObjectFieldProps extends FieldIds {
  readonly value: readonly string[]
  readonly onChange: (ids: readonly string[]) => void
  readonly index: ObjectIndex
  readonly kinds: readonly string[]
  readonly isMultiple: boolean
  readonly isDisabled?: boolean
  readonly placeholder?: string
  readonly label?: string
  readonly autoFocus?: boolean
}

export function ObjectField({
  value,
  onChange,
  index,
  kinds,
  isMultiple,
  isDisabled = false,
  placeholder,
  ...ids
}: ObjectFieldProps) {
  const options = useMemo(
    () =>
      index.all
        .filter(({ id }) => kinds.includes(kindOfId(id)))
        .map((object) => {
          const literal = literalOf(object)
          const kind = literal === '' || literal === object.title ? t(kindOf(object.id).word) : literal
          return { value: object.id, label: object.title, kind }
        }),
    [index, kinds],
  )
  const canWrite = kinds.includes('ip') || kinds.includes('port')
  /** An address or a port, or several of them, is meant as it is written; anything else may be the beginning of a name. */
  const isValue = (text: string): boolean =>
    text.split(/[\s,;|]+/).every((part) => part === '' || missingOf(part, kinds) !== null)
  /** Several can be pasted at once. */
  const write = (text: string): void => {
    const finder = createFinder(index)
    const parts = text.split(/[\s,;|]+/).filter((part) => part !== '')
    const found = (finder.find(text, kinds) === null ? parts : [text]).map((part) => {
      const meant = finder.find(part, kinds)
      if (meant !== null && 'id' in meant) return meant.id
      return missingOf(part, kinds) === null ? null : part
    })
    const bad = parts[found.indexOf(null)]
    if (bad !== undefined) toast(t('There is no object called {name}.', { name: bad }), { tone: 'bad' })
    const good = found.filter((one) => one !== null && one !== 'any') as readonly string[]
    if (good.length > 0) onChange(isMultiple ? [...new Set([...value, ...good])] : good.slice(0, 1))
  }
  return (
    <Combobox
      {...ids}
      value={value}
      onChange={onChange}
      options={options}
      isMultiple={isMultiple}
      isDisabled={isDisabled}
      placeholder={placeholder ?? t('any: type a name or an address')}
      onCreate={canWrite ? write : undefined}
      isValue={isValue}
    />
  )
}
