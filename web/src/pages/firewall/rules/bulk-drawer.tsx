// One field of many rules at once: a line such as `action = drop`, or the same by choosing; what changes is counted while typing.

import { type KeyboardEvent, useMemo, useState } from 'react'
import { useReview } from '../../../api/apply.ts'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import { Field } from '../../../ui/field.tsx'
import { Link } from '../../../ui/link.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextInput } from '../../../ui/text-input.tsx'
import { type ObjectIndex, titleOf } from '../../../util/objects.ts'
import { type NumberOf, sayNumber } from '../../../util/rule-numbers.ts'
import { heard, msg, t } from '../../../words.ts'
import { withObjects } from '../make-objects.ts'
import { ObjectField } from '../object-field.tsx'
import { type BulkEdit, type BulkMode, bulkFields, modesOf, planBulk, readEdit } from './bulk.ts'
import styles from './bulk-drawer.module.css'
import { actionText, protocolText } from './rows.ts'
import { fieldTitles, kindsOfField, protocols, type Rule, type RuleFieldName, type RuleTable } from './tables.ts'

export interface BulkDrawerProps {
  readonly table: RuleTable
  readonly rules: readonly Rule[]
  readonly etag: string | null
  readonly index: ObjectIndex
  readonly numberOf: NumberOf
  readonly onClose: () => void
  readonly onApplied: () => void
}

/** The gateway takes so many calls as one change. */
export const mostCalls = 2_000

const signs: Readonly<Record<BulkMode, string>> = { set: '=', add: '+=', remove: '-=', append: '+=' }
const modeWords: Readonly<Record<BulkMode, string>> = {
  set: msg('becomes'),
  add: msg('also has'),
  remove: msg('no longer has'),
  append: msg('is followed by'),
}

export function BulkDrawer({ table, rules, etag, index, numberOf, onClose, onApplied }: BulkDrawerProps) {
  const review = useReview()
  const [line, setLine] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const edit = useMemo(() => readEdit(line, table, index), [line, table, index])
  const plan = useMemo(() => ('problem' in edit ? null : planBulk(rules, edit)), [rules, edit])
  const { calls, reads } = useMemo(
    () =>
      withObjects(
        (plan?.changes ?? []).map(({ id, body }) => ({
          endpoint: table.calls.update,
          params: { rule_id: id },
          body,
          etag,
        })),
      ),
    [plan, table, etag],
  )
  const isTooMany = calls.length > mostCalls
  const canSubmit = plan !== null && plan.changes.length > 0 && !isTooMany

  const submit = (): void => {
    if (!canSubmit || plan === null) return
    const { changes } = plan
    setProblem(null)
    review.open({
      title: t('{count, plural, one {Change # rule} other {Change # rules}} of {table}: {line}', {
        count: changes.length,
        table: table.title,
        line: line.trim(),
      }),
      calls,
      ...(table.confirmWithin === undefined ? {} : { confirmWithin: table.confirmWithin }),
      reads: [table.calls.list, ...reads],
      onApplied,
      onProblems: (problems) => setProblem(problems[0]?.message ?? null),
    })
  }

  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.stopPropagation()
    submit()
  }

  return (
    <Drawer
      title={t('{count, plural, one {Edit # rule} other {Edit # rules}}', { count: rules.length })}
      onClose={onClose}
      foot={
        <div className={styles.foot}>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" keys="Ctrl Enter" onClick={submit} isDisabled={!canSubmit}>
            {t('Review')}
          </Button>
        </div>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole form */}
      <div className={styles.body} onKeyDown={onKey}>
        <Field
          label={t('Field and value')}
          hint={t('Such as action = drop, source += Office, comment += ticket 1234')}
          problem={line.trim() !== '' && 'problem' in edit && line.includes('=') ? edit.problem : undefined}
        >
          {(ids) => <TextInput {...ids} value={line} onChange={setLine} isMono autoFocus placeholder="action = drop" />}
        </Field>
        <Chooser table={table} index={index} edit={'problem' in edit ? null : edit} line={line} onLine={setLine} />
        {problem === null ? null : <Bar tone="bad">{heard(problem)}</Bar>}
        {plan === null ? null : (
          <div className={styles.result} role="status">
            <p className={styles.count}>
              {t('{count, plural, one {# rule changes} other {# rules change}}', { count: plan.changes.length })}
              {plan.same > 0 ? t(', {count} have the value already', { count: plan.same }) : ''}
            </p>
            {isTooMany ? (
              <Bar tone="warn">{t('At most 2,000 rules and new objects can be changed at once.')}</Bar>
            ) : null}
            {plan.faults.length > 0 ? (
              <Bar tone="warn">
                {t('{count, plural, one {# rule is left as it is:} other {# rules are left as they are:}}', {
                  count: plan.faults.length,
                })}
                <ul className={styles.faults}>
                  {plan.faults.slice(0, 20).map(({ id, message }) => (
                    <li key={id}>
                      <Link to={`policy/rules/${table.name}/${id}`}>
                        {t('Rule {id}', { id: sayNumber(numberOf(table.name, id), id) })}
                      </Link>{' '}
                      {message}
                    </li>
                  ))}
                </ul>
              </Bar>
            ) : null}
          </div>
        )}
      </div>
    </Drawer>
  )
}

interface ChooserProps {
  readonly table: RuleTable
  readonly index: ObjectIndex
  readonly edit: BulkEdit | null
  readonly line: string
  readonly onLine: (line: string) => void
}

/** Writes the line by choosing: the line stays the one truth. */
function Chooser({ table, index, edit, line, onLine }: ChooserProps) {
  const [chosen, setChosen] = useState<RuleFieldName>('action')
  const field = edit?.field ?? chosen
  const mode = edit?.mode ?? 'set'
  const write = (nextField: RuleFieldName, nextMode: BulkMode, value: string): void => {
    setChosen(nextField)
    onLine(`${nextField} ${signs[nextMode]} ${value}`)
  }
  const text = /[+-]?=\s*(.*)$/.exec(line)?.[1] ?? ''
  const kinds = kindsOfField[field]
  const words = optionsOf(field, table)
  return (
    <div className={styles.chooser}>
      <Field label={t('Field')}>
        {(ids) => (
          <Select
            {...ids}
            value={field}
            options={bulkFields(table).map((value) => ({ value, label: t(fieldTitles[value]) }))}
            onChange={(value) => write(value as RuleFieldName, 'set', '')}
          />
        )}
      </Field>
      <Field label={t('How')}>
        {(ids) => (
          <Select
            {...ids}
            value={mode}
            options={modesOf(field).map((value) => ({ value, label: t(modeWords[value]) }))}
            onChange={(value) => write(field, value as BulkMode, text)}
            isDisabled={modesOf(field).length === 1}
          />
        )}
      </Field>
      <Field label={t('Value')}>
        {(ids) =>
          words !== null ? (
            <Select
              {...ids}
              value={edit === null ? null : String(edit.value)}
              options={words}
              onChange={(value) => write(field, mode, value)}
            />
          ) : kinds ? (
            <ObjectField
              {...ids}
              value={valueIds(edit)}
              onChange={(chosenIds) => write(field, mode, chosenIds.join(' | ') || (mode === 'set' ? 'any' : ''))}
              index={index}
              kinds={kinds}
              isMultiple={!field.endsWith('interface')}
            />
          ) : (
            <TextInput {...ids} value={text} onChange={(value) => write(field, mode, value)} />
          )
        }
      </Field>
      {kinds && edit !== null ? (
        <p className={styles.names}>
          {valueIds(edit)
            .map((id) => titleOf(index, id))
            .join(', ')}
        </p>
      ) : null}
    </div>
  )
}

const valueIds = (edit: BulkEdit | null): readonly string[] => {
  const all = edit === null ? [] : Array.isArray(edit.value) ? (edit.value as readonly string[]) : [String(edit.value)]
  return all.filter((id) => id !== 'any')
}

function optionsOf(field: RuleFieldName, table: RuleTable): readonly { value: string; label: string }[] | null {
  if (field === 'action') return table.actions.map((value) => ({ value, label: actionText(value) }))
  if (field === 'protocol') return protocols.map((value) => ({ value, label: protocolText(value) }))
  if (typeof table.defaults[field] !== 'boolean') return null
  return [
    { value: 'true', label: t('yes') },
    { value: 'false', label: t('no') },
  ]
}
