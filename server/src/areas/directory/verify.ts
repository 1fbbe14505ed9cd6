// What must hold of group synchronizations beyond the form of their fields, and whom they mention.

import type { Problem } from '../../contract/error.ts'
import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { findGroup, fixedGroups } from '../users/public.ts'
import { type DirectoryKind, directoryKinds, findDomain } from './config.ts'
import type { NewGroupSettings } from './contract-groups.ts'
import { filterFault } from './ldap-filter.ts'

/** Fields are named as in a body. */
export function recordProblems(config: Config, kind: DirectoryKind, record: NewGroupSettings): Problem[] {
  const fault = record.search_filter === '' ? null : filterFault(record.search_filter)
  return [
    ...(fault === null ? [] : [{ field: 'search_filter', message: fault }]),
    ...groupProblems(config, kind, record.group_alias_id),
    ...(findDomain(config, kind, record.domain_name)
      ? []
      : [{ field: 'domain_name', message: `There is no ${kind.title} domain ${record.domain_name}.` }]),
  ]
}

function groupProblems(config: Config, { domainType }: DirectoryKind, id: string): Problem[] {
  const field = 'group_alias_id'
  const group = findGroup(config, id)
  if (!group) return [{ field, message: `There is no group with the id ${id}.` }]
  if (fixedGroups.includes(group))
    return [{ field, message: `The group "${group.name}" is built in and cannot be synchronized.` }]
  return group.domain_type === 'local' || group.domain_type === domainType
    ? []
    : [{ field, message: `The group "${group.name}" belongs neither to the gateway nor to a domain of this type.` }]
}

export const verify = (config: Config): readonly Problem[] =>
  directoryKinds.flatMap((kind) =>
    read(config, kind.records).flatMap((record) =>
      recordProblems(config, kind, record).map(({ field, message }) => ({
        field: `${kind.records.key}[${record.id}].${field}`,
        message,
      })),
    ),
  )

/** A group that is synchronized is in use. */
export const references = (config: Config): readonly Reference[] =>
  directoryKinds.flatMap(({ title, records }) =>
    read(config, records).map(({ id, group_alias_id, domain_name }) => ({
      id: group_alias_id,
      object: `${records.key}[${id}]`,
      field: 'group_alias_id',
      title: `Synchronization with the ${title} domain ${domain_name}`,
    })),
  )
