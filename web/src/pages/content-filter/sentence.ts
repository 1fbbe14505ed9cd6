// What a rule does, told in one sentence: who, what, when, and what happens. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { contentRules } from '@gateway/server/contract/content-filter'
import { allRequests } from '../../util/categories.ts'
import { msg, t } from '../../words.ts'

type Rule = ReplyOf<typeof contentRules.list>[number]
export type RuleParts = Pick<
  Rule,
  'access' | 'aliases' | 'categories' | 'http_methods' | 'content_types' | 'redirect_url' | 'timetable'
>

export interface Naming {
  readonly category: (id: string) => string
  readonly object: (id: string) => string
  readonly language: string
}

const namedAtMost = 3

/** "A, B and C", "A, B, C and 4 more". */
function listed(names: readonly string[], language: string): string {
  const shown = names.slice(0, namedAtMost).map((name) => t('“{name}”', { name }))
  const rest = names.length - shown.length
  const all = rest > 0 ? [...shown, t('{count, plural, other {# more}}', { count: rest })] : shown
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(all)
}

const isAny = (ids: readonly string[]): boolean => ids.length === 0 || ids.includes('any')

const heads: Readonly<Record<Rule['access'], string>> = {
  allow: msg('Allow {what} {who}'),
  deny: msg('Deny {what} {who}'),
  bump: msg('Decrypt {what} {who}'),
  redirect: msg('Redirect {what} {who} to {address}'),
}

export function ruleSentence(rule: RuleParts, { category, object, language }: Naming): string {
  const what = rule.categories.includes(allRequests)
    ? t('all requests')
    : listed(rule.categories.map(category), language)
  const who = isAny(rule.aliases)
    ? t('for everyone')
    : t('for {names}', { names: listed(rule.aliases.map(object), language) })
  const parts = [
    t(heads[rule.access], { what, who, address: rule.redirect_url ?? '…' }),
    ...(rule.http_methods.length > 0 ? [t('methods {names}', { names: rule.http_methods.join(', ') })] : []),
    ...(rule.content_types.length > 0
      ? [t('content types {names}', { names: rule.content_types.slice(0, 4).join(', ') })]
      : []),
    ...(isAny(rule.timetable) ? [] : [t('during {names}', { names: listed(rule.timetable.map(object), language) })]),
  ]
  return `${parts.join(', ')}.`
}
