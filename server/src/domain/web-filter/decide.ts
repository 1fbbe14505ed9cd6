// The decision about one request: safe search, then the rules in their order, first match wins
// (docs/behaviour/content-filter.md 3). The decision process, explain and the tests call it. Pure.

import type {
  CategoryLookup,
  FilterDecision,
  FilterPolicy,
  FilterQuestion,
  FilterRule,
  FilterVerdict,
  FoundCategory,
} from './model.ts'
import { factsOf, type RequestFacts } from './request-facts.ts'
import { ruleSetsOf } from './rule-sets.ts'
import { needsSafeSearch, safeLocation } from './safe-search.ts'
import { walk } from './walk.ts'
import { listPassed, type PassedRule } from './why.ts'

export type { PassedRule } from './why.ts'

export interface Deciding {
  readonly policy: FilterPolicy
  readonly categories: CategoryLookup
}

export interface ExplainedDecision extends FilterDecision {
  /** Rules before the deciding one, and why they did not match: the last thousand. */
  readonly passed: readonly PassedRule[]
  readonly passedCount: number
}

export function decide(deciding: Deciding, question: FilterQuestion): FilterDecision {
  const { policy } = deciding
  if (!policy.isEnabled) return disabled(question)
  return decideWith(policy, factsOf(question, deciding.categories, policy.usesExtended))
}

/** The same walk, telling each rule before the deciding one and why it did not match. */
export function explainDecision(deciding: Deciding, question: FilterQuestion): ExplainedDecision {
  const { policy } = deciding
  if (!policy.isEnabled) return { ...disabled(question), passed: [], passedCount: 0 }
  const facts = factsOf(question, deciding.categories, policy.usesExtended)
  const decision = decideWith(policy, facts)
  return { ...decision, ...listPassed(policy.rules, facts, decision.ruleId) }
}

/** Has to be done before the first decision with a policy that has many rules, where that must not wait. */
export const prepare = (policy: FilterPolicy): void => {
  ruleSetsOf(policy)
}

const disabled = ({ stage }: FilterQuestion): FilterDecision => ({
  verdict: stage === 'tls' ? 'splice' : 'allow',
  ruleId: null,
  reason: 'disabled',
  location: null,
  categories: [],
})

function decideWith(policy: FilterPolicy, facts: RequestFacts): FilterDecision {
  const { certain, possible, isOpen } = walk(ruleSetsOf(policy), facts)
  const byRules = isOpen ? waiting(facts.found, possible[0]) : decided(facts, certain)
  return policy.safeSearch ? withSafeSearch(facts, byRules) : byRules
}

const waiting = (categories: readonly FoundCategory[], rule: FilterRule | undefined): FilterDecision => ({
  verdict: 'wait',
  ruleId: rule?.id ?? null,
  reason: 'rule',
  location: null,
  categories,
})

function decided({ question: { stage }, found }: RequestFacts, rule: FilterRule | null): FilterDecision {
  const verdict = rule === null || rule.access === 'allow' ? passOn(stage) : rule.access
  return {
    verdict,
    ruleId: rule?.id ?? null,
    reason: rule === null ? 'default' : 'rule',
    location: verdict === 'redirect' ? (rule?.redirectUrl ?? null) : null,
    categories: found,
  }
}

const passOn = (stage: FilterQuestion['stage']): FilterVerdict => (stage === 'tls' ? 'splice' : 'allow')

/** What rules deny or send elsewhere stays so; anything else has to be safe first. */
function withSafeSearch({ question, found }: RequestFacts, byRules: FilterDecision): FilterDecision {
  const { stage, host } = question
  const safe = { ruleId: null, reason: 'safe-search', categories: found } as const
  if (stage === 'tls')
    return byRules.verdict === 'splice' && needsSafeSearch(host)
      ? { ...safe, verdict: 'bump', location: null }
      : byRules
  if (stage === 'reply' || byRules.verdict === 'deny' || byRules.verdict === 'redirect') return byRules
  const location = safeLocation(question)
  return location === null ? byRules : { ...safe, verdict: 'redirect', location }
}
