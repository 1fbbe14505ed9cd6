// What a person changed in the table and has not applied yet: fields of single rules, the order, removals. It is drawn over the
// rules of the gateway and becomes the calls of one change. Pure.

import type { PlannedCall } from '../../../api/change.ts'
import { isEqual } from './equal.ts'
import { movesBetween } from './moves.ts'
import type { Rule, RuleTable } from './tables.ts'

export interface TableDraft {
  readonly patches: ReadonlyMap<number, Readonly<Partial<Rule>>>
  /** The wanted order of all rules, or null for that of the gateway. */
  readonly order: readonly number[] | null
  readonly removed: ReadonlySet<number>
}

export const noDraft: TableDraft = { patches: new Map(), order: null, removed: new Set() }

export const isEmptyDraft = ({ patches, order, removed }: TableDraft): boolean =>
  patches.size === 0 && order === null && removed.size === 0

/** Nothing but moves: they can be seen in the table and are applied without a review. */
export const isOnlyMoves = ({ patches, order, removed }: TableDraft): boolean =>
  patches.size === 0 && removed.size === 0 && order !== null

export function withPatch(draft: TableDraft, rule: Rule, fields: Partial<Rule>): TableDraft {
  const patches = new Map(draft.patches)
  const all: Partial<Rule> = { ...patches.get(rule.id), ...fields }
  const changed = Object.fromEntries(
    Object.entries(all).filter(([name, value]) => !isEqual(rule[name as keyof Rule], value)),
  ) as Partial<Rule>
  if (Object.keys(changed).length === 0) patches.delete(rule.id)
  else patches.set(rule.id, changed)
  return { ...draft, patches }
}

export function withOrder(draft: TableDraft, rules: readonly Rule[], order: readonly number[]): TableDraft {
  const isSame = rules.length === order.length && rules.every(({ id }, at) => id === order[at])
  return { ...draft, order: isSame ? null : order }
}

export const withRemoved = (draft: TableDraft, ids: readonly number[], isRemoved: boolean): TableDraft => {
  const removed = new Set(draft.removed)
  for (const id of ids) isRemoved ? removed.add(id) : removed.delete(id)
  return { ...draft, removed }
}

export const orderOf = (draft: TableDraft, rules: readonly Rule[]): readonly number[] =>
  draft.order ?? rules.map(({ id }) => id)

/** The rules as they would be. Rules that did not change are the same objects. */
export function drawDraft(draft: TableDraft, rules: readonly Rule[]): readonly Rule[] {
  if (isEmptyDraft(draft)) return rules
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  const patched = (rule: Rule): Rule => {
    const patch = draft.patches.get(rule.id)
    return patch ? { ...rule, ...patch } : rule
  }
  const order = draft.order ?? rules.map(({ id }) => id)
  return order.flatMap((id) => {
    const rule = byId.get(id)
    return rule ? [patched(rule)] : []
  })
}

/** On top of a list that changed in the meantime: what is gone is forgotten, what is new is where the gateway has it. */
export function rebase(draft: TableDraft, rules: readonly Rule[]): TableDraft {
  const there = new Set(rules.map(({ id }) => id))
  const patches = new Map([...draft.patches].filter(([id]) => there.has(id)))
  const removed = new Set([...draft.removed].filter((id) => there.has(id)))
  if (draft.order === null) return { patches, removed, order: null }
  const order = draft.order.filter((id) => there.has(id))
  const known = new Set(order)
  for (const [at, { id }] of rules.entries()) {
    if (known.has(id)) continue
    const before = rules[at - 1]
    order.splice(before ? order.indexOf(before.id) + 1 : 0, 0, id)
  }
  return withOrder({ patches, removed, order: null }, rules, order)
}

/** Rules that are elsewhere than before because they were moved, not because others were. */
export function movedIds(draft: TableDraft, rules: readonly Rule[]): readonly number[] {
  if (draft.order === null) return []
  return movesBetween(
    rules.map(({ id }) => id),
    draft.order,
  ).map(({ id }) => id)
}

export function draftCalls(
  draft: TableDraft,
  rules: readonly Rule[],
  { calls }: RuleTable,
  etag: string | null,
): readonly PlannedCall[] {
  const moves =
    draft.order === null
      ? []
      : movesBetween(
          rules.map(({ id }) => id),
          draft.order,
        )
  return [
    ...[...draft.patches]
      .filter(([id]) => !draft.removed.has(id))
      .map(([id, body]) => ({ endpoint: calls.update, params: { rule_id: id }, body, etag })),
    ...moves.map(({ id, anchor, isAfter }) => ({
      endpoint: calls.move,
      body: { params: { id, anchor_item_id: anchor, insert_after: isAfter } },
      etag,
    })),
    ...[...draft.removed].map((id) => ({ endpoint: calls.remove, params: { rule_id: id }, etag })),
  ]
}
