// The drawer of one rule: its fields, what is wrong with it, its history and the call it is.

import type { forwardRules } from '@gateway/server/contract/firewall'
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react'
import { useReview } from '../../../api/apply.ts'
import { call } from '../../../api/call.ts'
import type { ChangePlan } from '../../../api/change.ts'
import { commandsOf } from '../../../api/commands.ts'
import type { Editing } from '../../../api/editing.ts'
import type { Problem } from '../../../api/failure.ts'
import { readAgain } from '../../../api/reads.ts'
import { useGo, useLeaveGuard, usePlace } from '../../../place.ts'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { CommandBlock } from '../../../ui/command-block.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { loneLetterOf } from '../../../ui/letter-key.ts'
import { Link } from '../../../ui/link.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { toast } from '../../../ui/toast.tsx'
import type { ObjectIndex } from '../../../util/objects.ts'
import { type NumberOf, sayNumber, sayRule } from '../../../util/rule-numbers.ts'
import { heard, t } from '../../../words.ts'
import { RuleHistory } from '../item-history.tsx'
import { problemsOfCall, withObjects } from '../make-objects.ts'
import { isEqual } from './equal.ts'
import type { Mark } from './marks.ts'
import { ruleSentence } from './rows.ts'
import {
  changedFields,
  copyOf,
  creationOf,
  disputed,
  matchesEverything,
  type Placement,
  patchOf,
  prefilled,
} from './rule-draft.ts'
import styles from './rule-drawer.module.css'
import { RuleForm } from './rule-form.tsx'
import { asRules, fieldTitles, type Rule, type RuleFieldName, type RuleTable } from './tables.ts'

export interface RuleDrawerProps {
  readonly table: RuleTable
  readonly rules: readonly Rule[]
  readonly etag: string | null
  readonly index: ObjectIndex
  /** Id of a rule, or `new`. */
  readonly item: string
  /** What people call the rules of the table. */
  readonly numberOf: NumberOf
  readonly mark: Mark | undefined
  readonly editing: Editing
  readonly onClose: () => void
  readonly onRemove: (rule: Rule) => void
  readonly onLog: (rule: Rule) => void
  readonly onTrace: (rule: Rule) => void
}

/** What the address says about a new rule: where it goes and what it is a copy of. */
interface Start {
  readonly base: Rule | null
  readonly value: Rule | null
  readonly placement: Placement
}

function startOf({ table, rules, index, item }: RuleDrawerProps, search: Readonly<Record<string, string>>): Start {
  const byId = (id: string | undefined): Rule | null => rules.find((rule) => String(rule.id) === id) ?? null
  if (item !== 'new') return { base: byId(item), value: byId(item), placement: null }
  const [before, after] = [byId(search.before), byId(search.after)]
  const placement: Placement = after
    ? { anchor: after.id, isAfter: true }
    : before
      ? { anchor: before.id, isAfter: false }
      : null
  const original = byId(search.copy)
  return { base: null, value: original ? copyOf(original) : prefilled(table, search, index), placement }
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function RuleDrawer(props: RuleDrawerProps) {
  const { table, rules, etag, index, item, numberOf, mark, editing, onClose } = props
  const { search } = usePlace()
  const go = useGo()
  const review = useReview()
  const [start, setStart] = useState(() => startOf(props, search))
  const [rule, setRule] = useState<Rule | null>(start.value)
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [theirs, setTheirs] = useState<Rule | null>(null)
  const { base, placement } = start
  const listed = item === 'new' ? null : (rules.find(({ id }) => String(id) === item) ?? null)
  const changed = rule === null ? [] : base === null ? Object.keys(creationOf(table, rule)) : changedFields(base, rule)
  const isChanged = base === null ? rule !== null && !isEqual(rule, start.value) : changed.length > 0
  const saved = useLeaveGuard(isChanged, () => changed.map((name) => t(fieldTitles[name as RuleFieldName] ?? name)))

  // A rule that others changed and that is not being written shows what is there now.
  useEffect(() => {
    if (listed === null || listed === base || isChanged) return
    setStart({ base: listed, value: listed, placement: null })
    setRule(listed)
  }, [listed, base, isChanged])

  const change = (fields: Partial<Rule>): void => {
    setRule((now) => (now === null ? now : { ...now, ...fields }))
    setProblems([])
  }

  const planOf = (next: Rule, tag: string | null): ChangePlan => {
    const { calls, made, reads } = withObjects([
      base === null
        ? { endpoint: table.calls.create, query: placementQuery(placement), body: creationOf(table, next), etag: tag }
        : { endpoint: table.calls.update, params: { rule_id: base.id }, body: patchOf(base, next), etag: tag },
    ])
    return {
      ...rulePlan(next),
      calls,
      reads: [table.calls.list, ...reads],
      onProblems: (found) => setProblems(problemsOfCall(found, made)),
    }
  }

  const rulePlan = (next: Rule) => ({
    title:
      base === null
        ? t('New {table} rule', { table: table.title })
        : t('Change {table} {id}', { table: table.title, id: numberOf(table.name, base.id) ?? '' }),
    ...(table.confirmWithin === undefined ? {} : { confirmWithin: table.confirmWithin }),
    onApplied: () => {
      saved()
      onClose()
    },
    onConflict: () => onConflict(next),
  })

  /** Another rule of the table was changed: this one goes on top of it. The same field: the person decides. */
  const onConflict = async (next: Rule): Promise<ChangePlan | null> => {
    const now = await call(table.calls.list as typeof forwardRules.list)
    const there = asRules(now.data).find(({ id }) => id === base?.id) ?? null
    if (base === null) return planOf(next, now.etag)
    if (there !== null && disputed(base, next, there).length === 0) return planOf(next, now.etag)
    if (there !== null) setTheirs(there)
    else toast(t('The rule was removed by someone else.'), { tone: 'bad' })
    await readAgain(table.calls.list)
    return null
  }

  const submit = (): void => {
    if (rule === null || !editing.isAllowed || !isSendable(base, rule)) return
    setProblems([])
    review.open(planOf(rule, etag))
  }

  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      event.stopPropagation()
      submit()
    } else if (event.altKey && event.code === 'KeyC') {
      event.preventDefault()
      go.setSearch({ tab: search.tab === 'command' ? null : 'command' }, { replace: true })
    } else if (base !== null) {
      const letter = loneLetterOf(event.nativeEvent)
      if (letter === 'l') props.onLog(base)
      else if (letter === 't' && table.name !== 'log') props.onTrace(base)
      else if (letter === 'c' && editing.isAllowed) go.open(`policy/rules/${table.name}/new`, copyPlace(base))
      else return
      event.preventDefault()
    }
  }

  if (rule === null) {
    return (
      <Drawer title={table.title} onClose={onClose}>
        <p>{t('There is no rule with this number. It was removed, or the number is wrong.')}</p>
      </Drawer>
    )
  }
  const tab = search.tab === 'history' || search.tab === 'command' ? search.tab : 'details'
  const { at, rest } = sortProblems(problems, table)
  return (
    <Drawer
      title={base === null ? t('New {table} rule', { table: table.title }) : sayRule(table.name, base.id, numberOf)}
      onClose={onClose}
      onKey={onKey}
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
          count={changed.length}
          isNew={base === null}
          editing={editing}
          canSubmit={isSendable(base, rule)}
          onDiscard={() => (base === null ? onClose() : setRule(base))}
          onSubmit={submit}
        />
      }
    >
      <div className={styles.body}>
        {tab === 'history' && base !== null ? <RuleHistory table={table} id={base.id} /> : null}
        {tab === 'command' || (base === null && search.tab === 'command') ? (
          <Commands table={table} base={base} rule={rule} placement={placement} etag={etag} />
        ) : null}
        {tab === 'details' ? (
          <>
            <p className={styles.sentence}>{ruleSentence(rule, index)}</p>
            {base === null ? <Place table={table} placement={placement} numberOf={numberOf} /> : null}
            <Findings mark={mark} table={table} numberOf={numberOf} />
            {theirs === null || base === null ? null : (
              <Dispute
                fields={disputed(base, rule, theirs)}
                onMine={() => {
                  setStart({ base: theirs, value: theirs, placement: null })
                  setRule({ ...theirs, ...patchOf(base, rule) })
                  setTheirs(null)
                }}
                onTheirs={() => {
                  setStart({ base: theirs, value: theirs, placement: null })
                  setRule(theirs)
                  setTheirs(null)
                }}
              />
            )}
            {matchesEverything(rule) && isChanged && rule.action !== 'drop' ? (
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
              onChange={change}
            />
          </>
        ) : null}
      </div>
    </Drawer>
  )
}

/** A copy stands right behind its original. */
const copyPlace = ({ id }: Rule) => ({ copy: String(id), after: String(id) })

const isSendable = (base: Rule | null, rule: Rule): boolean => base === null || changedFields(base, rule).length > 0

const placementQuery = (placement: Placement) =>
  placement === null ? {} : { anchor_item_id: placement.anchor, insert_after: placement.isAfter }

/** Faults beside their fields; those of fields that the form does not have stand above it. */
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
