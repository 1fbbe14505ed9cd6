// Domains and group synchronizations as declared lists: what must hold of each of them and beside the others.

import type { Problem } from '../../core/contract/error.ts'
import { declareList, type ListDeclaration, namesOne } from '../../core/model/declarations.ts'
import { type Config, perState, read } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { findGroup, fixedGroups, groups } from '../users/public.ts'
import {
  ad,
  adDomains,
  ald,
  aldDomains,
  type DirectoryKind,
  type Domain,
  domainMention,
  findDomain,
  isSameDomain,
} from './config.ts'
import type { NewAdDomain, NewAldDomain } from './contract.ts'
import type { GroupSettings } from './contract-groups.ts'
import { filterFault } from './ldap-filter.ts'

const kinds: readonly DirectoryKind[] = [ad, ald]

/** What both lists of domains share. Administrators sign in as `name@domain`, so a name belongs to one domain of any type. */
const domainRules = (kind: DirectoryKind) => ({
  noun: `${kind.title} domain`,
  ids: { kind: 'uuid' } as const,
  nameOf: ({ name }: Domain) => `${kind.title} domain ${name}`,
  mentionedAs: ({ name }: Domain) => domainMention(kind, name),
  conflictsOf: (config: Config, { id, name }: Domain): Problem[] =>
    kinds.flatMap(({ domains, title }) =>
      read(config, domains).some((other) => other.id !== id && isSameDomain(other.name, name))
        ? [{ field: 'name', message: say`There is already an ${title} domain ${name}.` }]
        : [],
    ),
  reads: [adDomains, aldDomains],
})

export const adDomainList = declareList({
  slot: adDomains,
  ...domainRules(ad),
  // The password is for the join alone and is not stored.
  fieldsOf: (body) => {
    const { password: _used, ...fields } = body as NewAdDomain
    return fields
  },
})

export const aldDomainList = declareList({
  slot: aldDomains,
  ...domainRules(ald),
  fieldsOf: (body) => {
    const { name, computer_name, dns_ips } = body as NewAldDomain
    return { name, computer_name, dns_ips }
  },
  // `name@radius` signs in through RADIUS.
  problemsOf: (_config, { name }) =>
    isSameDomain(name, 'radius')
      ? [{ field: 'name', message: say`The name "radius" is reserved for RADIUS servers. Choose another name.` }]
      : [],
})

/** A group follows one directory object only, of whichever type. */
function recordList(kind: DirectoryKind, other: DirectoryKind): ListDeclaration<GroupSettings> {
  const groupsOfOther = perState(
    [other.records],
    (config) => new Set(read(config, other.records).map(({ group_alias_id }) => group_alias_id)),
  )
  const taken = ({ group_alias_id }: GroupSettings) => say`The group ${group_alias_id} is already synchronized.`
  return declareList<GroupSettings>({
    slot: kind.records,
    noun: 'group synchronization',
    ids: { kind: 'number' },
    nameOf: ({ domain_name }) => `synchronization with the ${kind.title} domain ${domain_name}`,
    references: [
      namesOne('group_alias_id', { prefixes: ['group.id.'], faultOf: (config, id) => groupFault(config, kind, id) }),
      {
        field: 'domain_name',
        isList: false,
        idsOf: ({ domain_name }) => [domainMention(kind, domain_name)],
        faultOf: (config, _id, { domain_name }) =>
          findDomain(config, kind, domain_name) ? null : say`There is no ${kind.title} domain ${domain_name}.`,
        prefixes: [domainMention(kind, '')],
        isRemovedAlong: true,
      },
    ],
    problemsOf: (_config, { search_filter }) => {
      const fault = search_filter === '' ? null : filterFault(search_filter)
      return fault === null ? [] : [{ field: 'search_filter', message: fault }]
    },
    unique: [{ field: 'group_alias_id', keyOf: ({ group_alias_id }) => group_alias_id, messageOf: taken }],
    conflictsOf: (config, record) =>
      groupsOfOther(config).has(record.group_alias_id) ? [{ field: 'group_alias_id', message: taken(record) }] : [],
    reads: [groups, kind.domains, other.records],
  })
}

function groupFault(config: Config, { domainType }: DirectoryKind, id: string): SaidText | null {
  const group = findGroup(config, id)
  if (!group) return say`There is no group with the id ${id}.`
  if (fixedGroups.includes(group)) return say`The group "${group.name}" is built in and cannot be synchronized.`
  return group.domain_type === 'local' || group.domain_type === domainType
    ? null
    : say`The group "${group.name}" is neither a local group nor one of a domain of this type.`
}

export const adRecordList = recordList(ad, ald)
export const aldRecordList = recordList(ald, ad)
