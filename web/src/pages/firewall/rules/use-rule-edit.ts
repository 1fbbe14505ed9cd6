// One rule while it is written: what it was, what it is now, what the gateway refused, and whose change counts when two meet.

import type { forwardRules } from '@gateway/server/contract/firewall'
import { useEffect, useState } from 'react'
import { useReview } from '../../../api/apply.ts'
import { call } from '../../../api/call.ts'
import type { ChangePlan } from '../../../api/change.ts'
import type { Editing } from '../../../api/editing.ts'
import type { Problem } from '../../../api/failure.ts'
import { readAgain } from '../../../api/reads.ts'
import { useLeaveGuard, usePlace } from '../../../place.ts'
import { toast } from '../../../ui/toast.tsx'
import type { ObjectIndex } from '../../../util/objects.ts'
import type { NumberOf } from '../../../util/rule-numbers.ts'
import { t } from '../../../words.ts'
import { problemsOfCall, withObjects } from '../make-objects.ts'
import { isEqual } from './equal.ts'
import { changedFields, copyOf, creationOf, disputed, type Placement, patchOf, prefilled } from './rule-draft.ts'
import { asRules, fieldTitles, type Rule, type RuleFieldName, type RuleTable } from './tables.ts'

export interface RuleEditSource {
  readonly table: RuleTable
  readonly rules: readonly Rule[]
  readonly etag: string | null
  readonly index: ObjectIndex
  /** Id of a rule, or `new`. */
  readonly item: string
  /** What people call the rules of the table. */
  readonly numberOf: NumberOf
  readonly editing: Editing
  readonly onClose: () => void
}

/** What the address says about a new rule: where it goes and what it is a copy of. */
interface Start {
  readonly base: Rule | null
  readonly value: Rule | null
  readonly placement: Placement
}

function startOf({ table, rules, index, item }: RuleEditSource, search: Readonly<Record<string, string>>): Start {
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

export type RuleEdit = ReturnType<typeof useRuleEdit>

export function useRuleEdit(source: RuleEditSource) {
  const { table, rules, etag, item, editing } = source
  const { search } = usePlace()
  const review = useReview()
  const [start, setStart] = useState(() => startOf(source, search))
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

  const planOf = rulePlan(source, start, { saved, onProblems: setProblems, onDispute: setTheirs })
  /** On top of what someone else made of it. */
  const settle = (there: Rule, next: Rule): void => {
    setStart({ base: there, value: there, placement: null })
    setRule(next)
    setTheirs(null)
  }
  return {
    /** As it is stored; null for a new one. */
    base,
    placement,
    /** As it is written; null where there is no such rule. */
    rule,
    changed,
    isChanged,
    problems,
    /** The same rule as someone else changed it in the same fields. */
    theirs,
    change: (fields: Partial<Rule>): void => {
      setRule((now) => (now === null ? now : { ...now, ...fields }))
      setProblems([])
    },
    discard: () => setRule(base),
    settle,
    submit: (): void => {
      if (rule === null || !editing.isAllowed || !isSendable(base, rule)) return
      setProblems([])
      review.open(planOf(rule, etag))
    },
  }
}

interface PlanEnds {
  readonly saved: () => void
  readonly onProblems: (problems: readonly Problem[]) => void
  readonly onDispute: (theirs: Rule) => void
}

/** The plan of a rule by its tag, with the objects that it needs and that are not there yet. */
function rulePlan(
  { table, numberOf, onClose }: RuleEditSource,
  { base, placement }: Start,
  { saved, onProblems, onDispute }: PlanEnds,
): (next: Rule, tag: string | null) => ChangePlan {
  const planOf = (next: Rule, tag: string | null): ChangePlan => {
    const { calls, made, reads } = withObjects([
      base === null
        ? { endpoint: table.calls.create, query: placementQuery(placement), body: creationOf(table, next), etag: tag }
        : { endpoint: table.calls.update, params: { rule_id: base.id }, body: patchOf(base, next), etag: tag },
    ])
    return {
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
      calls,
      reads: [table.calls.list, ...reads],
      onProblems: (found) => onProblems(problemsOfCall(found, made)),
    }
  }

  /** Another rule of the table was changed: this one goes on top of it. The same field: the person decides. */
  const onConflict = async (next: Rule): Promise<ChangePlan | null> => {
    const now = await call(table.calls.list as typeof forwardRules.list)
    const there = asRules(now.data).find(({ id }) => id === base?.id) ?? null
    if (base === null) return planOf(next, now.etag)
    if (there !== null && disputed(base, next, there).length === 0) return planOf(next, now.etag)
    if (there !== null) onDispute(there)
    else toast(t('The rule was removed by someone else.'), { tone: 'bad' })
    await readAgain(table.calls.list)
    return null
  }
  return planOf
}

export const isSendable = (base: Rule | null, rule: Rule): boolean =>
  base === null || changedFields(base, rule).length > 0

export const placementQuery = (placement: Placement) =>
  placement === null ? {} : { anchor_item_id: placement.anchor, insert_after: placement.isAfter }
