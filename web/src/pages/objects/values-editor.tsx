// Adds and removes values of a long list without sending the rest of it.

import type { Endpoint } from '@gateway/server/contract'
import { listAll } from '@gateway/server/contract/objects'
import { parseAddress, parseNetwork } from '@gateway/server/net/ipv4'
import { type KeyboardEvent, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { useEditing } from '../../api/editing.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Field } from '../../ui/field.tsx'
import { LinesEditor } from '../../ui/lines-editor.tsx'
import { kindOfId, literalOf, type ObjectIndex, titleOf } from '../../util/objects.ts'
import { t } from '../../words.ts'
import styles from './object-drawer.module.css'

export interface ValuesEditorProps {
  readonly endpoint: Endpoint
  readonly id: string
  readonly index: ObjectIndex
  readonly list: Endpoint
  readonly etag: string | null
  /** Members are objects; else they are addresses as text. */
  readonly isByName: boolean
}

const memberKinds = new Set(['ip', 'ip_range', 'subnet', 'domain'])

export function ValuesEditor({ endpoint, id, index, list, etag, isByName }: ValuesEditorProps) {
  const review = useReview()
  const editing = useEditing(endpoint.access)
  const [add, setAdd] = useState<readonly string[]>([])
  const [remove, setRemove] = useState<readonly string[]>([])
  const adds = tidy(add)
  const removes = tidy(remove)
  const faults = isByName ? new Map<number, string>() : faultsOf(add)
  const canSubmit = editing.isAllowed && faults.size === 0 && adds.length + removes.length > 0
  const submit = (): void => {
    if (!canSubmit) return
    review.open({
      title: t('Add {added} and remove {removed} values of {name}', {
        added: adds.length,
        removed: removes.length,
        name: titleOf(index, id),
      }),
      calls: [
        {
          endpoint,
          params: { object_id: id },
          body: { ...(adds.length > 0 ? { add: adds } : {}), ...(removes.length > 0 ? { remove: removes } : {}) },
          etag,
        },
      ],
      reads: [list, listAll],
      onApplied: () => {
        setAdd([])
        setRemove([])
      },
    })
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    submit()
  }
  const members = index.byId.get(id)?.values ?? []
  const optionOf = (one: string) => {
    const object = index.byId.get(one)
    return { value: one, label: titleOf(index, one), ...(object ? { kind: literalOf(object) } : {}) }
  }
  const input = (value: readonly string[], onChange: (lines: readonly string[]) => void, isAdding: boolean) =>
    function Input(ids: {
      readonly id: string
      readonly describedBy: string | undefined
      readonly isInvalid: boolean
    }) {
      if (!isByName)
        return (
          <LinesEditor
            {...ids}
            value={value}
            onChange={onChange}
            lines={8}
            {...(isAdding ? { problems: faults } : {})}
          />
        )
      const ids2 = isAdding
        ? index.all.filter((one) => memberKinds.has(kindOfId(one.id)) && !members.includes(one.id)).map((one) => one.id)
        : members
      return <Combobox {...ids} value={value} onChange={onChange} options={ids2.map(optionOf)} isMultiple />
    }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole form
    <div className={styles.body} onKeyDown={onKey}>
      <p className={styles.quiet}>{t('The other values stay. What is in the list already is not added again.')}</p>
      <Field label={t('Add')}>{input(add, setAdd, true)}</Field>
      <Field label={t('Remove')}>{input(remove, setRemove, false)}</Field>
      <div className={styles.foot}>
        <span className={styles.count} />
        <Button kind="primary" keys="Ctrl Enter" onClick={submit} isDisabled={!canSubmit} why={editing.why}>
          {t('Review')}
        </Button>
      </div>
    </div>
  )
}

const tidy = (lines: readonly string[]): readonly string[] => [
  ...new Set(lines.map((line) => line.trim()).filter((line) => line !== '')),
]

const faultsOf = (lines: readonly string[]): ReadonlyMap<number, string> =>
  new Map(
    lines.flatMap((line, at) => {
      const text = line.trim()
      const isFine = text === '' || parseAddress(text) !== null || parseNetwork(text) !== null
      return isFine ? [] : [[at, t('Must be an address or a network.')] as const]
    }),
  )
