// What a rule cannot do as it is: seen from the rules above it and the settings alone, without knowing any client. Pure.

import type { ReplyOf } from '@gateway/server/contract'
import type { contentRules } from '@gateway/server/contract/content-filter'
import { allRequests, typeOfCategory } from '../../util/categories.ts'

export type Rule = ReplyOf<typeof contentRules.list>[number]
export type RuleDraft = Pick<
  Rule,
  'access' | 'aliases' | 'categories' | 'http_methods' | 'content_types' | 'timetable' | 'enabled'
>

export type Warning =
  /** Categories of a rule that only sees decrypted requests, which no decryption rule above covers. */
  | { readonly kind: 'undecrypted'; readonly access: Rule['access']; readonly categories: readonly string[] }
  | { readonly kind: 'shadowed'; readonly rule: Rule }
  | { readonly kind: 'no-topics'; readonly categories: readonly string[] }

const isAny = (ids: readonly string[]): boolean => ids.includes('any')

/** Whether one rule applies to everyone and every time that the other does. */
const coversPeople = (wide: RuleDraft, narrow: RuleDraft): boolean =>
  (isAny(wide.aliases) || narrow.aliases.every((id) => wide.aliases.includes(id))) &&
  (isAny(wide.timetable) || narrow.timetable.every((id) => wide.timetable.includes(id)))

const coversCategory = ({ categories }: RuleDraft, id: string): boolean =>
  categories.includes(id) || categories.includes(allRequests)

/** Path, method, type and files are seen only in plain HTTP and in decrypted traffic. */
const needsDecryption = ({ access, http_methods, content_types }: RuleDraft, category: string): boolean =>
  access === 'redirect' ||
  http_methods.length > 0 ||
  content_types.length > 0 ||
  ['files', 'other'].includes(typeOfCategory(category))

const isWide = ({ http_methods, content_types }: RuleDraft): boolean =>
  http_methods.length === 0 && content_types.length === 0

/** Whether a rule above decides before this one can: a decryption rule only is in the way of another one. */
const standsBefore = (above: RuleDraft, rule: RuleDraft): boolean =>
  rule.access === 'bump' ? above.access !== 'redirect' : above.access !== 'bump'

export function ruleWarnings(
  rule: RuleDraft,
  above: readonly Rule[],
  { hasTopics }: { readonly hasTopics: boolean },
): Warning[] {
  const active = above.filter(({ enabled }) => enabled)
  const warnings: Warning[] = []
  const shadow = active.find(
    (other) =>
      standsBefore(other, rule) &&
      isWide(other) &&
      coversPeople(other, rule) &&
      rule.categories.length > 0 &&
      rule.categories.every((id) => coversCategory(other, id) && isSeenByName(other, id)),
  )
  if (shadow) warnings.push({ kind: 'shadowed', rule: shadow })
  const bumps = active.filter(({ access }) => access === 'bump')
  const undecrypted =
    rule.access === 'bump' || shadow
      ? []
      : rule.categories.filter(
          (id) =>
            needsDecryption(rule, id) &&
            !bumps.some((bump) => isWide(bump) && coversPeople(bump, rule) && decrypts(bump, id)),
        )
  if (undecrypted.length > 0) warnings.push({ kind: 'undecrypted', access: rule.access, categories: undecrypted })
  const topics = hasTopics ? [] : rule.categories.filter((id) => typeOfCategory(id) === 'extended')
  if (topics.length > 0) warnings.push({ kind: 'no-topics', categories: topics })
  return warnings
}

/** What a connection is for is known from its name; files and activity are known too late to decrypt for them. */
const decrypts = (bump: RuleDraft, id: string): boolean =>
  ['files', 'other'].includes(typeOfCategory(id))
    ? bump.categories.some((own) => !['files', 'other'].includes(typeOfCategory(own)))
    : coversCategory(bump, id)

/** A rule for files decides about decrypted requests only, so what is below it still meets the others. */
const isSeenByName = ({ categories }: RuleDraft, id: string): boolean =>
  categories.includes(allRequests) || !['files', 'other'].includes(typeOfCategory(id)) || categories.includes(id)
