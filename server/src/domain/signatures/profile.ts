// What a profile does with signatures: which rule of it decides each one, and the action that follows.

import { type Action, actions, type Signature } from './rule.ts'

export const filterKeys = [
  'sid',
  'mitre_tactic_id',
  'protocol',
  'signature_severity',
  'flow',
  'classtype',
] as const satisfies readonly (keyof Signature)[]

export interface ProfileRule {
  readonly id: number
  readonly filters: readonly {
    readonly key: (typeof filterKeys)[number]
    readonly values: readonly (string | number)[]
  }[]
  readonly action: 'default' | 'alert' | 'drop' | 'pass'
}

export type Counts = Record<Action, number>

export const noCounts = (): Counts => Object.fromEntries(actions.map((action) => [action, 0])) as Counts

export interface Decided {
  /** With the effective action, in the order of the catalogue. */
  readonly signatures: readonly Signature[]
  readonly counts: Counts
  /** Of every rule of the profile, by its id. */
  readonly countsByRule: ReadonlyMap<number, Counts>
}

/** The topmost rule that selects a signature decides it; what no rule selects is not part of the profile. */
export function decide(signatures: readonly Signature[], rules: readonly ProfileRule[]): Decided {
  const judges = rules.map((rule) => ({ rule, selects: selectorOf(rule), counts: noCounts() }))
  const counts = noCounts()
  const decided: Signature[] = []
  for (const signature of signatures) {
    const judge = judges.find(({ selects }) => selects(signature))
    if (!judge) continue
    const action = judge.rule.action === 'default' ? signature.action : judge.rule.action
    judge.counts[action]++
    counts[action]++
    decided.push(action === signature.action ? signature : { ...signature, action })
  }
  return { signatures: decided, counts, countsByRule: new Map(judges.map(({ rule, counts }) => [rule.id, counts])) }
}

/** What a profile does with a signature; null when it is not part of the profile. */
export function deciderOf(rules: readonly ProfileRule[]): (signature: Signature) => Action | null {
  const judges = rules.map((rule) => ({ action: rule.action, selects: selectorOf(rule) }))
  return (signature) => {
    const judge = judges.find(({ selects }) => selects(signature))
    if (!judge) return null
    return judge.action === 'default' ? signature.action : judge.action
  }
}

/** All filters must match; one value of a filter is enough. */
export function selectorOf({ filters }: Pick<ProfileRule, 'filters'>): (signature: Signature) => boolean {
  const wanted = filters.map(({ key, values }) => ({ key, values: new Set<unknown>(values) }))
  return (signature) => wanted.every(({ key, values }) => values.has(signature[key]))
}
