// What a question says in the terms of rules: canonical host, the categories that hold, those that the reply may add, and the
// types of both bodies. Pure.

import { fileGroups, groupsOfPath, groupsOfType } from './file-groups.ts'
import { canonicalHost, contentTypesOf, isAddressHost } from './hosts.ts'
import type { CategoryLookup, FilterQuestion, FoundCategory } from './model.ts'
import { activityOf } from './other-activity.ts'

export const special = {
  all: 'special.id.1',
  categorized: 'special.id.2',
  uncategorized: 'special.id.3',
  byAddress: 'special.id.4',
} as const

export interface RequestFacts {
  /** With the host in its canonical form. */
  readonly question: FilterQuestion
  /** What was found, for the page and the log. */
  readonly found: readonly FoundCategory[]
  /** Ids of all categories that hold. */
  readonly categories: readonly string[]
  /** Held only because one of several types of the reply is of the group: an allowing rule does not take them. */
  readonly doubtful: readonly string[]
  /** Groups of files that the type of the reply may add: it is not known yet. */
  readonly possible: readonly string[]
  readonly requestTypes: readonly string[]
  readonly replyTypes: readonly string[]
}

const none: readonly string[] = []

export function factsOf(asked: FilterQuestion, lookup: CategoryLookup, usesExtended: boolean): RequestFacts {
  const host = canonicalHost(asked.host)
  const question = host === asked.host ? asked : { ...asked, host }
  const { stage, path } = question
  const listed = lookup.find(question)
  const usable = usesExtended ? listed : listed.filter(({ id }) => !id.startsWith('extended.'))
  const ids = usable.map(({ id }) => id)
  const isCategorized = ids.length > 0
  const isByAddress = isAddressHost(host)
  const requestTypes = contentTypesOf(question.requestType)
  const replyTypes = stage === 'reply' ? contentTypesOf(question.replyType) : none
  const files = stage === 'tls' ? noFiles : filesOf(path ?? '', replyTypes)
  const activity =
    stage === 'tls'
      ? none
      : activityOf(
          question,
          listed.map(({ id }) => id),
        )
  const shown = [
    ...files.sure,
    ...files.doubtful,
    ...activity,
    ...(isByAddress ? [special.byAddress] : none),
    ...(isCategorized ? none : [special.uncategorized]),
  ]
  return {
    question,
    found: [...usable, ...shown.map((id) => ({ id, entry: null, source: null }))],
    categories: [...ids, ...shown, special.all, ...(isCategorized ? [special.categorized] : none)],
    doubtful: files.doubtful,
    possible: stage === 'request' ? fileGroups.filter((id) => !files.sure.includes(id)) : none,
    requestTypes,
    replyTypes,
  }
}

const noFiles = { sure: none, doubtful: none }

function filesOf(path: string, types: readonly string[]): { sure: readonly string[]; doubtful: readonly string[] } {
  const byPath = groupsOfPath(path)
  const [first, ...others] = types
  if (first === undefined) return { sure: byPath, doubtful: none }
  const byFirst = groupsOfType(first)
  if (others.length === 0) return { sure: [...new Set([...byPath, ...byFirst])], doubtful: none }
  const rest = others.map(groupsOfType)
  const sure = [...new Set([...byPath, ...byFirst.filter((id) => rest.every((ids) => ids.includes(id)))])]
  const any = new Set([...byFirst, ...rest.flat()])
  return { sure, doubtful: [...any].filter((id) => !sure.includes(id)) }
}
