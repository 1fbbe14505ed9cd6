// Walks the rules of a policy for one request: which rule decides, or which ones may once the reply is there. Pure.

import type { FilterRule } from './model.ts'
import type { RequestFacts } from './request-facts.ts'
import { addAll, type Bits, hasBit, keepOnly, nextBit, type RuleSets } from './rule-sets.ts'

export interface Walked {
  /** Rules that decide if the reply is of a type that they name, in order. Empty but at the stage `request`. */
  readonly possible: readonly FilterRule[]
  /** The first rule that matches in any case; null when none does. */
  readonly certain: FilterRule | null
  /** The possible outcomes differ, so only the reply decides. */
  readonly isOpen: boolean
}

export function walk(sets: RuleSets, facts: RequestFacts): Walked {
  const { question } = facts
  const { rules } = sets
  const sure = sets.scratch(0)
  for (const id of facts.categories) sets.addCategory(sure, id)
  withoutDoubtful(sets, facts, sure)
  const maybe = sets.scratch(1, sure)
  for (const id of facts.possible) sets.addCategory(maybe, id)
  restrict(sets, facts, maybe)
  const typed = question.stage === 'tls' ? sets.anyType : typesOf(sets, facts)
  const possible: FilterRule[] = []
  let isOpen = false
  for (let at = nextBit(maybe, 0); at >= 0; at = nextBit(maybe, at + 1)) {
    const rule = rules[at] as FilterRule
    if (rule.access === 'redirect' && isTarget(rule, facts)) continue
    const isCertain = hasBit(sure, at) && hasBit(typed, at)
    if (!isCertain && question.stage !== 'request') continue
    const [first] = possible
    isOpen ||= first !== undefined && !isSameOutcome(first, rule)
    if (isCertain) return { possible, certain: rule, isOpen }
    possible.push(rule)
    // Whatever follows, two outcomes differ already.
    if (isOpen) return { possible, certain: null, isOpen }
  }
  const [first] = possible
  return { possible, certain: null, isOpen: isOpen || (first !== undefined && first.access !== 'allow') }
}

/** Sources, times, methods and what the stage can decide at all. */
function restrict(sets: RuleSets, { question }: RequestFacts, target: Bits): void {
  const { stage, source, user, time, method } = question
  keepOnly(target, stage === 'tls' ? sets.atTls : sets.atRequest)
  keepOnly(target, sets.sources(source, user))
  keepOnly(target, sets.times(time))
  if (method === null) keepOnly(target, sets.anyMethod)
  else {
    const methods = sets.scratch(2, sets.anyMethod)
    sets.addMethod(methods, method)
    keepOnly(target, methods)
  }
}

/** An allowing rule does not take a group of files that only one of several types of the reply is of. */
function withoutDoubtful(sets: RuleSets, { doubtful, categories }: RequestFacts, target: Bits): void {
  if (doubtful.length === 0) return
  const kept = sets.scratch(3)
  for (const id of categories) if (!doubtful.includes(id)) sets.addCategory(kept, id)
  for (let at = 0; at < target.length; at++)
    target[at] = (target[at] as number) & (~(sets.allow[at] as number) | (kept[at] as number))
}

/**
 * Rules whose types match the body of the request or that of the reply. A header with several types matches a rule that
 * allows only when the rule names all of them, any other rule when it names one: what follows a comma cannot hide.
 */
function typesOf(sets: RuleSets, { requestTypes, replyTypes }: RequestFacts): Bits {
  const matching = sets.scratch(4, sets.anyType)
  for (const types of [requestTypes, replyTypes]) {
    if (types.length === 0) continue
    const some = sets.scratch(5)
    const all = sets.scratch(6).fill(0xffff_ffff)
    for (const type of types) {
      const one = sets.scratch(7)
      sets.addType(one, type)
      addAll(some, one)
      keepOnly(all, one)
    }
    for (let at = 0; at < some.length; at++)
      some[at] = (some[at] as number) & (~(sets.allow[at] as number) | (all[at] as number))
    addAll(matching, some)
  }
  return matching
}

export const isSameOutcome = (a: FilterRule, b: FilterRule): boolean =>
  a.access === b.access && a.redirectUrl === b.redirectUrl

/** A redirection of the page it leads to would never end. */
export function isTarget({ redirectUrl }: FilterRule, { question }: RequestFacts): boolean {
  const { scheme, host, port, path } = question
  const url = redirectUrl === null ? null : URL.parse(redirectUrl)
  if (url === null || path === null || url.protocol !== `${scheme}:`) return false
  const [page = ''] = path.split('#', 1)
  const target = Number(url.port || (scheme === 'https' ? 443 : 80))
  return url.hostname === host && target === port && `${url.pathname}${url.search}` === page
}
