// The lists of the web application firewall, declared: profiles, and the rules and excluded rules that belong to them.

import type { Problem } from '../../core/contract/error.ts'
import { declareList, mustBeOfKind, names } from '../../core/model/declarations.ts'
import { type Config, perState, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { isKnownObject, objectSlots } from '../objects/public.ts'
import { groups } from '../users/public.ts'
import { findCategory } from './categories.ts'
import { exceptions, profiles, rules } from './config.ts'
import type { ProfileFields, StoredException, StoredProfile, StoredRule } from './contract.ts'

export const profileList = declareList<StoredProfile>({
  slot: profiles,
  noun: 'web application firewall profile',
  nameOf: ({ name }) => `web application firewall profile "${name}"`,
  ids: { kind: 'uuid' },
  defaults: { from_central_console: false },
  // Only the central console decides where a profile comes from; what a client sends is ignored.
  fieldsOf: ({ from_central_console: _, ...fields }: Partial<ProfileFields>) => fields,
  problemsOf: (_config, { disabled_categories }) => disabled_categories.flatMap(categoryProblems),
})

export const mustStay = say`This category is required and cannot be disabled.`

function categoryProblems(id: string, index: number): Problem[] {
  const found = findCategory(id)
  if (found && !found.required) return []
  return [
    {
      field: `disabled_categories[${index}]`,
      message: found ? mustStay : say`There is no category with the id ${id}.`,
    },
  ]
}

const prefixes = ['ip.', 'subnet.', 'iplist.', 'list_of_iplists.']
const isSource = (id: string): boolean => prefixes.some((prefix) => id.startsWith(prefix))

export const ruleList = declareList<StoredRule>({
  slot: rules,
  noun: 'rule',
  ids: { kind: 'number' },
  owner: { field: 'profile_id', list: profileList },
  references: [
    names('aliases', {
      faultOf: mustBeOfKind('an IP address, subnet, country or list of countries', isSource, isKnownObject),
      prefixes,
    }),
  ],
  problemsOf: sourceProblems,
  reads: [...objectSlots, groups],
})

const maxSources = 2_000

const sourcesOfProfiles = perState([rules], (config) => {
  const counts = new Map<string, number>()
  for (const { profile_id, aliases } of read(config, rules))
    counts.set(profile_id, (counts.get(profile_id) ?? 0) + aliases.length)
  return counts
})

/** All rules of a profile together have a limit (docs/behaviour/web-application-firewall.md 3). */
function sourceProblems(config: Config, { profile_id }: StoredRule): Problem[] {
  return (sourcesOfProfiles(config).get(profile_id) ?? 0) > maxSources
    ? [{ field: 'aliases', message: say`The rules of a profile can have at most ${maxSources} sources together.` }]
    : []
}

export const exceptionList = declareList<StoredException>({
  slot: exceptions,
  noun: 'excluded rule',
  ids: { kind: 'uuid' },
  owner: { field: 'profile_id', list: profileList },
})

export const lists = [profileList, ruleList, exceptionList]
