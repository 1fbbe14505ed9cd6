// What must hold for groups and rules of the console: groups form a tree of three levels below the root, and rules name
// objects and groups that exist. Fields are named as in the body of a call.

import type { Problem } from '../../contract/error.ts'
import { type Config, read } from '../../model/slots.ts'
import { listCategories } from '../content-filter/public.ts'
import type { FilterRule } from '../firewall/contract.ts'
import { inspectionProblems } from '../firewall/public.ts'
import { isInterfaceAlias } from '../network/public.ts'
import { isAddressId, isKnownObject, isPortId, isTimeId } from '../objects/public.ts'
import { allGroups, type GroupItem, groups, isGroup, originOf, root, ruleSlots } from './config.ts'
import type { ContentRule } from './contract-content.ts'

const problem = (field: string, message: string): Problem => ({ field, message })

/** The root group is level one. */
const maxLevels = 3

export const parentProblems = (config: Config, parentId: string): Problem[] =>
  isGroup(config, parentId) ? [] : [problem('parent_id', `There is no server group with the id ${parentId}.`)]

/** Judges a group as it would be, in a configuration that already holds it. */
export function groupProblems(config: Config, group: GroupItem): Problem[] {
  const all = new Map(allGroups(config).map((one) => [one.id, one]))
  const missing = parentProblems(config, group.parent_id ?? root.id)
  if (missing.length > 0) return missing
  const level = levelOf(all, group)
  if (level === null) return [problem('parent_id', 'A group cannot be inside itself.')]
  const deepest = Math.max(...[...all.values()].map((one) => levelOf(all, one) ?? 0))
  return deepest > maxLevels
    ? [problem('parent_id', `Groups can be nested ${maxLevels} levels deep, root included.`)]
    : []
}

/** Null for a group in a circle. */
function levelOf(all: ReadonlyMap<string, GroupItem>, group: GroupItem): number | null {
  let level = 1
  for (let one = group; one.parent_id !== null; level++) {
    const parent = all.get(one.parent_id)
    if (!parent || level > all.size) return null
    one = parent
  }
  return level
}

type IsOfKind = (id: string) => boolean

/** `["any"]`, or ids of one kind. */
function listProblems(config: Config, field: string, ids: readonly string[], isOfKind: IsOfKind, kind: string) {
  if (ids.includes('any')) return ids.length === 1 ? [] : [problem(field, 'any must stand alone in its list.')]
  return ids.flatMap((id, index) => {
    if (!isOfKind(id)) return [problem(`${field}[${index}]`, `${id} is not the id of a ${kind} object.`)]
    return isKnownObject(config, id) ? [] : [problem(`${field}[${index}]`, `There is no object with the id ${id}.`)]
  })
}

export const contentProblems = (config: Config, rule: ContentRule): Problem[] => [
  ...parentProblems(config, rule.parent_id),
  ...listProblems(config, 'aliases', rule.aliases, isAddressId, 'user or address'),
  ...listProblems(config, 'timetable', rule.timetable, isTimeId, 'time'),
  ...categoryProblems(config, rule),
  ...redirectProblems(rule),
]

function categoryProblems(config: Config, { categories }: ContentRule): Problem[] {
  if (categories.length === 0) return []
  const known = new Set(listCategories(config).map(({ id }) => id))
  return categories.flatMap((id, index) =>
    known.has(id) ? [] : [problem(`categories[${index}]`, `There is no category with the id ${id}.`)],
  )
}

function redirectProblems({ access, redirect_url: url }: ContentRule): Problem[] {
  if (access !== 'redirect')
    return url === null ? [] : [problem('redirect_url', 'Must be null unless the access is redirect.')]
  return url !== null && isWebAddress(url)
    ? []
    : [problem('redirect_url', 'Must be an address such as https://example.com/page when the access is redirect.')]
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** The same demands as on the firewall's own rules (areas/firewall/verify-rules.ts). */
export const firewallProblems = (config: Config, rule: FilterRule): Problem[] => [
  ...parentProblems(config, rule.parent_id),
  ...listProblems(config, 'source_addresses', rule.source_addresses, isAddressId, 'address'),
  ...listProblems(config, 'destination_addresses', rule.destination_addresses, isAddressId, 'address'),
  ...listProblems(config, 'source_ports', rule.source_ports, isPortId, 'port'),
  ...listProblems(config, 'destination_ports', rule.destination_ports, isPortId, 'port'),
  ...listProblems(config, 'timetable', rule.timetable, isTimeId, 'time'),
  ...listProblems(config, 'hip_profiles', rule.hip_profiles, (id) => id.startsWith('hip_profile.'), 'device profile'),
  ...portProblems(rule),
  ...zoneProblems(config, 'incoming_interface', rule.incoming_interface),
  ...zoneProblems(config, 'outgoing_interface', rule.outgoing_interface),
  ...inspectionProblems(config, rule),
]

function portProblems(rule: FilterRule): Problem[] {
  if (rule.protocol === 'protocol.tcp' || rule.protocol === 'protocol.udp') return []
  const fields = ['source_ports', 'destination_ports'] as const
  return fields
    .filter((field) => rule[field].length !== 1 || rule[field][0] !== 'any')
    .map((field) => problem(field, 'Ports can be given only with the protocol TCP or UDP.'))
}

const zoneProblems = (config: Config, field: string, alias: string): Problem[] =>
  alias === 'any' || isInterfaceAlias(config, alias)
    ? []
    : [problem(field, `There is no interface or zone with the id ${alias}.`)]

/** Whatever way the configuration came about: parents exist. Edits judge the rest of a rule. */
export function verify(config: Config): Problem[] {
  const known = new Set(allGroups(config).map(({ id }) => id))
  const orphans = ruleSlots.flatMap((slot) =>
    read(config, slot)
      .filter(({ parent_id }) => !known.has(parent_id))
      .map(({ id }) => problem(`${originOf(slot, id)}.parent_id`, 'There is no such server group.')),
  )
  const lost = read(config, groups)
    .filter(({ parent_id }) => parent_id === null || !known.has(parent_id))
    .map(({ id }) => problem(`${originOf(groups, id)}.parent_id`, 'There is no such server group.'))
  return [...lost, ...orphans]
}
