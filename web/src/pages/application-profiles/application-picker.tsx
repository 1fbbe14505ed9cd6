// The applications that a profile denies: chosen ones as chips, and all of them by group below a search, each with its box to tick.

import { knownApplications } from '@gateway/server/contract/application-profiles'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import type { RenderProps } from '../../contract/define.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Field } from '../../ui/field.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { t } from '../../words.ts'
import styles from './application-picker.module.css'
import { groupApplications, type ListedProtocol, setDenied } from './applications.ts'
import { groupWord } from './group-words.ts'

/** Chips beyond these are only counted: a whole group may be chosen. */
const mostChips = 40

export function ApplicationPicker({ value, isDisabled, problem, problems, onChange }: RenderProps): ReactNode {
  const [query, setQuery] = useState('')
  const sought = useDeferredValue(query)
  const known = useRead(knownApplications.list).data?.data
  const listed = (Array.isArray(value) ? value : []) as readonly ListedProtocol[]
  const denied = listed.filter(({ action }) => action === 'deny').map(({ id }) => id)
  const isDenied = new Set(denied)
  const byId = useMemo(() => new Map(known?.map((one) => [one.id, one])), [known])
  const groups = useMemo(() => groupApplications(known ?? [], sought, groupWord), [known, sought])
  const set = (ids: readonly string[], isOn: boolean): void => onChange(setDenied(listed, ids, isOn))
  const nameOf = (id: string): string => byId.get(id)?.name ?? id
  const unknown = known ? denied.filter((id) => !byId.get(id)?.recognised) : []
  return (
    <Field
      label={t('Denied applications')}
      hint={t('All others are allowed.')}
      problem={problem ?? [...problems.values()][0]}
    >
      {(ids) => (
        <div className={styles.picker}>
          {denied.length === 0 ? null : (
            <div className={styles.chips}>
              {denied.slice(0, mostChips).map((id) => (
                <Chip
                  key={id}
                  tone={known && !byId.get(id)?.recognised ? 'kept' : 'plain'}
                  name={nameOf(id)}
                  onRemove={isDisabled ? undefined : () => set([id], false)}
                >
                  <PlainText text={nameOf(id)} limit={60} />
                </Chip>
              ))}
              {denied.length > mostChips ? (
                <span>{t('and {count} more', { count: denied.length - mostChips })}</span>
              ) : null}
            </div>
          )}
          {unknown.length === 0 ? null : (
            <Bar tone="kept">
              {t(
                '{count, plural, one {# chosen application is} other {# chosen applications are}} not recognised yet: stored, and not denied.',
                { count: unknown.length },
              )}
            </Bar>
          )}
          <TextInput
            {...ids}
            type="search"
            value={query}
            onChange={setQuery}
            placeholder={t('Find an application or a group')}
            isDisabled={isDisabled}
          />
          <div className={styles.groups}>
            {groups.map(({ group, own, all }) => {
              const on = all.filter(({ id }) => isDenied.has(id)).length
              const isAll = own.every(({ id }) => isDenied.has(id))
              return (
                <details key={group} className={styles.group} open={query.trim() !== '' || undefined}>
                  <summary className={styles.summary}>
                    {groupWord(group)}{' '}
                    <span className={styles.count}>{t('{on} of {all}', { on, all: all.length })}</span>
                  </summary>
                  {isDisabled ? null : (
                    <Button
                      kind="quiet"
                      size="small"
                      onClick={() =>
                        set(
                          own.map(({ id }) => id),
                          !isAll,
                        )
                      }
                    >
                      {isAll ? t('None of them') : t('All {count}', { count: own.length })}
                    </Button>
                  )}
                  <div className={styles.boxes}>
                    {own.map(({ id, name, recognised }) => (
                      <Checkbox
                        key={id}
                        label={name}
                        hint={recognised ? undefined : t('not recognised yet')}
                        isOn={isDenied.has(id)}
                        isDisabled={isDisabled}
                        onChange={(isOn) => set([id], isOn)}
                      />
                    ))}
                  </div>
                </details>
              )
            })}
            {groups.length === 0 && known ? <p className={styles.count}>{t('Nothing fits.')}</p> : null}
          </div>
        </div>
      )}
    </Field>
  )
}
