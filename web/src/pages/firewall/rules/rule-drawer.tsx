// The drawer of one rule: its fields, what is wrong with it, its history and the call it is.

import type { KeyboardEvent, ReactNode } from 'react'
import { commandsOf } from '../../../api/commands.ts'
import type { Editing } from '../../../api/editing.ts'
import type { Problem } from '../../../api/failure.ts'
import { useGo, usePlace } from '../../../place.ts'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { CommandBlock } from '../../../ui/command-block.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { loneLetterOf } from '../../../ui/letter-key.ts'
import { Link } from '../../../ui/link.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { type NumberOf, sayNumber, sayRule } from '../../../util/rule-numbers.ts'
import { heard, t } from '../../../words.ts'
import { RuleHistory } from '../item-history.tsx'
import type { Mark } from './marks.ts'
import { ruleSentence } from './rows.ts'
import { changedFields, creationOf, disputed, matchesEverything, type Placement, patchOf } from './rule-draft.ts'
import styles from './rule-drawer.module.css'
import { RuleForm } from './rule-form.tsx'
import { fieldTitles, type Rule, type RuleFieldName, type RuleTable } from './tables.ts'
import { isSendable, placementQuery, type RuleEdit, type RuleEditSource, useRuleEdit } from './use-rule-edit.ts'

export interface RuleDrawerProps extends RuleEditSource {
  readonly mark: Mark | undefined
  readonly onRemove: (rule: Rule) => void
  readonly onLog: (rule: Rule) => void
  readonly onTrace: (rule: Rule) => void
}

export function RuleDrawer(props: RuleDrawerProps) {
  const { table, numberOf, editing, onClose } = props
  const { search } = usePlace()
  const go = useGo()
  const edit = useRuleEdit(props)
  const { base, rule } = edit
  if (rule === null) {
    return (
      <Drawer title={table.title} onClose={onClose}>
        <p>{t('There is no rule with this number. It was removed, or the number is wrong.')}</p>
      </Drawer>
    )
  }
  const tab = search.tab === 'history' || search.tab === 'command' ? search.tab : 'details'
  return (
    <Drawer
      title={base === null ? t('New {table} rule', { table: table.title }) : sayRule(table.name, base.id, numberOf)}
      onClose={onClose}
      onKey={(event) => onDrawerKey(event, props, edit, go, search.tab)}
      actions={base === null ? null : <RowActions {...props} rule={base} />}
      head={
        base === null ? null : (
          <Tabs
            tabs={[
              { id: 'details', title: t('Details') },
              { id: 'history', title: t('History') },
              { id: 'command', title: t('As command') },
            ]}
            active={tab}
            onChange={(id) => go.setSearch({ tab: id === 'details' ? null : id }, { replace: true })}
          />
        )
      }
      foot={
        <Foot
          count={edit.changed.length}
          isNew={base === null}
          editing={editing}
          canSubmit={isSendable(base, rule)}
          onDiscard={() => (base === null ? onClose() : edit.discard())}
          onSubmit={edit.submit}
        />
      }
    >
      <div className={styles.body}>
        {tab === 'history' && base !== null ? <RuleHistory table={table} id={base.id} /> : null}
        {tab === 'command' || (base === null && search.tab === 'command') ? (
          <Commands table={table} base={base} rule={rule} placement={edit.placement} etag={props.etag} />
        ) : null}
        {tab === 'details' ? <Details {...props} edit={edit} rule={rule} /> : null}
      </div>
    </Drawer>
  )
}

interface DetailsProps extends RuleDrawerProps {
  readonly edit: RuleEdit
  readonly rule: Rule
}

/** The rule as a sentence, what is to be known of it, and its fields. */
function Details({ table, index, numberOf, mark, editing, edit, rule }: DetailsProps) {
  const { base, placement, theirs } = edit
  const { at, rest } = sortProblems(edit.problems, table)
  return (
    <>
      <p className={styles.sentence}>{ruleSentence(rule, index)}</p>
      {base === null ? <Place table={table} placement={placement} numberOf={numberOf} /> : null}
      <Findings mark={mark} table={table} numberOf={numberOf} />
      {theirs === null || base === null ? null : (
        <Dispute
          fields={disputed(base, rule, theirs)}
          onMine={() => edit.settle(theirs, { ...theirs, ...patchOf(base, rule) })}
          onTheirs={() => edit.settle(theirs, theirs)}
        />
      )}
      {matchesEverything(rule) && edit.isChanged && rule.action !== 'drop' ? (
        <Bar tone="warn">{t('Nothing narrows this rule down: it matches all traffic.')}</Bar>
      ) : null}
      {rest.length === 0 ? null : (
        <Bar tone="bad">
          {rest.map(({ field, message }) => (
            <div key={field}>{heard(message)}</div>
          ))}
        </Bar>
      )}
      <RuleForm
        table={table}
        rule={rule}
        base={base}
        index={index}
        problems={at}
        isDisabled={!editing.isAllowed}
        onChange={edit.change}
      />
    </>
  )
}

/** Letters act on the rule where nothing is typed. */
function onDrawerKey(
  event: KeyboardEvent,
  { table, editing, onLog, onTrace }: RuleDrawerProps,
  { base, submit }: RuleEdit,
  go: ReturnType<typeof useGo>,
  tab: string | undefined,
): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    event.stopPropagation()
    submit()
  } else if (event.altKey && event.code === 'KeyC') {
    event.preventDefault()
    go.setSearch({ tab: tab === 'command' ? null : 'command' }, { replace: true })
  } else if (base !== null) {
    const letter = loneLetterOf(event.nativeEvent)
    if (letter === 'l') onLog(base)
    else if (letter === 't' && table.name !== 'log') onTrace(base)
    else if (letter === 'c' && editing.isAllowed) go.open(`policy/rules/${table.name}/new`, copyPlace(base))
    else return
    event.preventDefault()
  }
}

/** A copy is right behind its original. */
const copyPlace = ({ id }: Rule) => ({ copy: String(id), after: String(id) })

/** Faults beside their fields; those of fields that the form does not have are above it. */
function sortProblems(problems: readonly Problem[], table: RuleTable) {
  const isShown = ({ field }: Problem): boolean => {
    const [name = ''] = field.split(/[.[]/)
    return (table.fields as readonly string[]).includes(name)
  }
  return {
    at: new Map(problems.filter(isShown).map(({ field, message }) => [field, heard(message)])),
    rest: problems.filter((problem) => !isShown(problem)),
  }
}

function RowActions({ rule, table, editing, onRemove, onLog, onTrace }: RuleDrawerProps & { readonly rule: Rule }) {
  const go = useGo()
  const { isAllowed, why } = editing
  return (
    <>
      <IconButton icon="log" label={t('Log of this rule')} keys="L" onClick={() => onLog(rule)} side="bottom" />
      {table.name === 'log' ? null : (
        <IconButton
          icon="trace"
          label={t('Trace a packet of this rule')}
          keys="T"
          onClick={() => onTrace(rule)}
          side="bottom"
        />
      )}
      <IconButton
        icon="copy"
        label={t('Copy')}
        keys="C"
        isDisabled={!isAllowed}
        why={why}
        onClick={() => go.open(`policy/rules/${table.name}/new`, copyPlace(rule))}
        side="bottom"
      />
      <IconButton
        icon="remove"
        label={t('Remove')}
        keys="Del"
        isDisabled={!isAllowed}
        why={why}
        onClick={() => onRemove(rule)}
        side="bottom"
      />
    </>
  )
}

interface FootProps {
  readonly count: number
  readonly isNew: boolean
  readonly editing: Editing
  readonly canSubmit: boolean
  readonly onDiscard: () => void
  readonly onSubmit: () => void
}

function Foot({ count, isNew, editing, canSubmit, onDiscard, onSubmit }: FootProps): ReactNode {
  const { isAllowed, why } = editing
  return (
    <div className={styles.foot}>
      <span className={styles.count}>
        {isNew
          ? ''
          : t('{count, plural, =0 {Nothing changed} one {# field changed} other {# fields changed}}', { count })}
      </span>
      <Button onClick={onDiscard} isDisabled={!isNew && count === 0}>
        {t('Discard')}
      </Button>
      <Button
        kind="primary"
        keys="Ctrl Enter"
        onClick={onSubmit}
        isDisabled={!isAllowed || !canSubmit}
        why={isAllowed ? t('Nothing changed') : why}
      >
        {t('Review')}
      </Button>
    </div>
  )
}

function Place({ table, placement, numberOf }: { table: RuleTable; placement: Placement; numberOf: NumberOf }) {
  if (placement === null)
    return <p className={styles.place}>{t('Goes to the end of {table}.', { table: table.title })}</p>
  const at = numberOf(table.name, placement.anchor) ?? 0
  return (
    <p className={styles.place}>
      {placement.isAfter
        ? t('Goes to position {position}, right after rule {id}.', { position: at + 1, id: at })
        : t('Goes to position {position}, right before rule {id}.', { position: at, id: at })}
    </p>
  )
}

interface FindingsProps {
  readonly mark: Mark | undefined
  readonly table: RuleTable
  readonly numberOf: NumberOf
}

function Findings({ mark, table, numberOf }: FindingsProps) {
  if (mark === undefined) return null
  return (
    <Bar tone={mark.severity === 'high' ? 'bad' : 'warn'}>
      <ul className={styles.findings}>
        {mark.findings.map((finding) => (
          <li key={finding.kind}>
            {finding.text}{' '}
            {finding.proof.rules.slice(0, 5).map((id) => (
              <span key={id}>
                <Link to={`policy/rules/${table.name}/${id}`}>
                  {t('Rule {id}', { id: sayNumber(numberOf(table.name, id), id) })}
                </Link>{' '}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Bar>
  )
}

interface DisputeProps {
  readonly fields: readonly (keyof Rule)[]
  readonly onMine: () => void
  readonly onTheirs: () => void
}

function Dispute({ fields, onMine, onTheirs }: DisputeProps) {
  const names = fields.map((name) => t(fieldTitles[name as RuleFieldName] ?? name)).join(', ')
  return (
    <Bar
      tone="warn"
      actions={
        <>
          <Button size="small" onClick={onMine}>
            {t('Keep mine')}
          </Button>
          <Button size="small" onClick={onTheirs}>
            {t('Take theirs')}
          </Button>
        </>
      }
    >
      {t('Someone else has changed the same fields: {fields}.', { fields: names })}
    </Bar>
  )
}

interface CommandsProps {
  readonly table: RuleTable
  readonly base: Rule | null
  readonly rule: Rule
  readonly placement: Placement
  readonly etag: string | null
}

function Commands({ table, base, rule, placement, etag }: CommandsProps) {
  const commands =
    base === null
      ? commandsOf(table.calls.create, { query: placementQuery(placement), body: creationOf(table, rule), etag })
      : changedFields(base, rule).length > 0
        ? commandsOf(table.calls.update, { params: { rule_id: base.id }, body: patchOf(base, rule), etag })
        : commandsOf(table.calls.replace, { params: { rule_id: base.id }, body: creationOf(table, rule), etag })
  return (
    <>
      <p className={styles.place}>
        {base !== null && changedFields(base, rule).length === 0
          ? t('This rule as it is, written as a whole.')
          : t('What Review and Apply would send.')}
      </p>
      <CommandBlock commands={commands} />
    </>
  )
}
