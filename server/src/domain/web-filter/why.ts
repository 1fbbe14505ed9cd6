// Why a rule does not match a request: the first of its conditions that does not hold, in a sentence. Pure.

import { parseAddress } from '../../shared/net/ipv4.ts'
import { contains } from '../../shared/net/ranges.ts'
import { type SaidText, say } from '../../shared/said.ts'
import type { FilterAccess, FilterRule } from './model.ts'
import type { RequestFacts } from './request-facts.ts'
import { isTarget } from './walk.ts'

export interface PassedRule {
  readonly id: number
  readonly name: string
  readonly access: FilterAccess
  readonly field: 'aliases' | 'categories' | 'http_methods' | 'content_types' | 'timetable' | 'access'
  readonly reason: string
}

type Miss = Pick<PassedRule, 'field' | 'reason'>

const mostPassed = 1_000

/** Rules before the one that decided; all of them when none did. */
export function listPassed(
  rules: readonly FilterRule[],
  facts: RequestFacts,
  decidedBy: number | null,
): { readonly passed: readonly PassedRule[]; readonly passedCount: number } {
  const at = decidedBy === null ? -1 : rules.findIndex(({ id }) => id === decidedBy)
  const passedCount = at < 0 ? rules.length : at
  const passed = rules.slice(Math.max(0, passedCount - mostPassed), passedCount).map((rule) => {
    const { id, name, access } = rule
    return { id, name, access, ...(missOf(rule, facts) ?? undecided(rule)) }
  })
  return { passed, passedCount }
}

/** It comes before a rule of the same effect, so the reply does not matter. */
const undecided = ({ contentTypes }: FilterRule): Miss => ({
  field: contentTypes.length > 0 ? 'content_types' : 'categories',
  reason: say`It depends on the type of the reply, and the outcome is the same either way.`,
})

/** Null when the rule matches, or may match once the reply is there. */
export function missOf(rule: FilterRule, facts: RequestFacts): Miss | null {
  return missOfStage(rule, facts) ?? missOfSource(rule, facts) ?? missOfRequest(rule, facts)
}

function missOfStage(rule: FilterRule, facts: RequestFacts): Miss | null {
  const isTls = facts.question.stage === 'tls'
  if (!isTls && rule.access === 'bump')
    return { field: 'access', reason: say`It only says whether a connection is decrypted.` }
  if (isTls && rule.access === 'redirect')
    return { field: 'access', reason: say`Only a decrypted request can be redirected.` }
  if (isTls && rule.contentTypes.length > 0)
    return { field: 'content_types', reason: say`MIME types are only known of decrypted requests.` }
  if (!isTls && rule.access === 'redirect' && isTarget(rule, facts))
    return { field: 'access', reason: say`The request is for the address that it redirects to.` }
  return null
}

function missOfSource({ sources, times }: FilterRule, { question }: RequestFacts): Miss | null {
  const { source, user, time } = question
  const address = parseAddress(source)
  const isSource =
    sources.isAny ||
    (address !== null && contains(sources.addresses, address)) ||
    (user?.members.some((id) => sources.members.includes(id)) ?? false)
  if (!isSource) {
    const reason =
      user === null
        ? say`It does not apply to ${source}, and no user is signed in there.`
        : say`It does not apply to ${user.login} at ${source}.`
    return { field: 'aliases', reason }
  }
  return times === null || contains(times, time)
    ? null
    : { field: 'timetable', reason: say`It does not apply at this time.` }
}

function missOfRequest(rule: FilterRule, facts: RequestFacts): Miss | null {
  const { question, categories, doubtful, possible } = facts
  const { method } = question
  if (rule.methods.length > 0 && (method === null || !rule.methods.includes(method))) {
    const reason =
      method === null ? say`The method is only known of decrypted requests.` : say`The method is ${method}.`
    return { field: 'http_methods', reason }
  }
  const isIn = (id: string): boolean =>
    (categories.includes(id) && !(rule.access === 'allow' && doubtful.includes(id))) || possible.includes(id)
  if (!rule.categories.some(isIn)) return { field: 'categories', reason: sayCategories(rule, facts) }
  if (rule.contentTypes.length === 0 || question.stage === 'request') return null
  return matchesTypes(rule, facts.requestTypes) || matchesTypes(rule, facts.replyTypes)
    ? null
    : { field: 'content_types', reason: sayTypes(facts) }
}

function sayCategories({ categories }: FilterRule, { question: { stage, host } }: RequestFacts): SaidText {
  if (stage === 'tls' && categories.every((id) => /^(?:files|other)\./.test(id)))
    return say`Files and activities are only known of decrypted requests.`
  return say`${host.slice(0, 255)} is in none of its categories.`
}

const sayTypes = ({ replyTypes }: RequestFacts): SaidText =>
  replyTypes.length === 0
    ? say`The reply has no type.`
    : say`The reply is of the type ${replyTypes.join(', ').slice(0, 255)}.`

export function matchesTypes({ access, contentTypes }: FilterRule, types: readonly string[]): boolean {
  const isNamed = (type: string): boolean =>
    contentTypes.includes(type) || contentTypes.includes(`${type.slice(0, type.indexOf('/'))}/*`)
  return types.length > 0 && (access === 'allow' ? types.every(isNamed) : types.some(isNamed))
}
