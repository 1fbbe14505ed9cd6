// What can be done to domains and group synchronizations beyond adding and changing them.

import { notFound } from '../../core/contract/error.ts'
import type { ListDeclaration } from '../../core/model/declarations.ts'
import { type ReferencesTo, removeFrom } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { makeLocal } from '../users/public.ts'
import { type DirectoryKind, type Domain, findDomain } from './config.ts'
import type { GroupSettings } from './contract-groups.ts'

export function requireDomain(config: Config, kind: DirectoryKind, name: string): Domain {
  const domain = findDomain(config, kind, name)
  if (!domain) throw notFound(say`${kind.title} domain ${name.slice(0, 80)}`)
  return domain
}

/** Its group synchronizations are removed with it; its groups and users become local (docs/behaviour/directory.md 2). */
export function removeDomain<T extends Domain>(
  config: Config,
  { domainType }: DirectoryKind,
  list: ListDeclaration<T>,
  { id, name }: Domain,
  referencesTo: ReferencesTo,
): Config {
  return removeFrom(makeLocal(config, domainType, name), list, id, referencesTo)
}

/** By its own id or by the id of its group (docs/behaviour/directory.md 4). */
export function removeRecord(
  config: Config,
  list: ListDeclaration<GroupSettings>,
  id: string,
  referencesTo: ReferencesTo,
): Config {
  const ofGroup = read(config, list.slot).find(({ group_alias_id }) => group_alias_id === id)
  return removeFrom(config, list, ofGroup?.id ?? id, referencesTo)
}
