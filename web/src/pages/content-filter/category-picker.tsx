// The categories of a rule: what is chosen as chips, and all of them by type below a search, each with its box to tick.

import { categories } from '@gateway/server/contract/content-filter'
import { type ReactNode, useMemo, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import type { RenderProps } from '../../contract/define.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Field } from '../../ui/field.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { categoryName, categoryTypes, categoryTypeWords } from '../../util/categories.ts'
import { t, useLanguage } from '../../words.ts'
import styles from './content-filter.module.css'

export function CategoryPicker({ value, isDisabled, problem, onChange }: RenderProps): ReactNode {
  const language = useLanguage()
  const [query, setQuery] = useState('')
  const known = useRead(categories.list).data?.data
  const chosen = Array.isArray(value) ? value.map(String) : []
  // biome-ignore lint/correctness/useExhaustiveDependencies: names follow the language
  const named = useMemo(
    () => (known ?? []).map((category) => ({ ...category, label: categoryName(category) })),
    [known, language],
  )
  const labels = new Map(named.map(({ id, label }) => [id, label]))
  const wanted = query.trim().toLocaleLowerCase(language)
  const found = named.filter(({ label, name }) => `${label} ${name}`.toLocaleLowerCase(language).includes(wanted))
  const set = (ids: readonly string[], isOn: boolean): void =>
    onChange(isOn ? [...new Set([...chosen, ...ids])] : chosen.filter((id) => !ids.includes(id)))
  const groups = categoryTypes.flatMap((type) => {
    const own = found.filter((category) => category.type === type)
    return own.length === 0 ? [] : [{ type, own, all: named.filter((category) => category.type === type) }]
  })
  return (
    <Field label={t('Categories')} problem={problem} isRequired={chosen.length === 0}>
      {(ids) => (
        <div className={styles.picker}>
          {chosen.length === 0 ? null : (
            <div className={styles.chosen}>
              {chosen.map((id) => (
                <Chip key={id} name={labels.get(id) ?? id} onRemove={isDisabled ? undefined : () => set([id], false)}>
                  <PlainText text={labels.get(id) ?? id} limit={60} />
                </Chip>
              ))}
            </div>
          )}
          <TextInput
            {...ids}
            type="search"
            value={query}
            onChange={setQuery}
            placeholder={t('Find a category')}
            isDisabled={isDisabled}
          />
          <div className={styles.groups}>
            {groups.map(({ type, own, all }) => {
              const on = all.filter(({ id }) => chosen.includes(id)).length
              const isAll = own.every(({ id }) => chosen.includes(id))
              return (
                <fieldset key={type} className={styles.group}>
                  <legend className={styles.legend}>
                    {t(categoryTypeWords[type])}{' '}
                    <span className={styles.count}>{t('{on} of {all}', { on, all: all.length })}</span>
                  </legend>
                  <div className={styles.boxes}>
                    {own.map(({ id, label }) => (
                      <Checkbox
                        key={id}
                        label={label}
                        isOn={chosen.includes(id)}
                        isDisabled={isDisabled}
                        onChange={(isOn) => set([id], isOn)}
                      />
                    ))}
                  </div>
                  {own.length > 1 && !isDisabled && type !== 'special' ? (
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
                  ) : null}
                </fieldset>
              )
            })}
            {groups.length === 0 && known ? <p className={styles.quiet}>{t('Nothing fits.')}</p> : null}
          </div>
        </div>
      )}
    </Field>
  )
}
