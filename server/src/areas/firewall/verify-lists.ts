// What must hold for access control lists, their bindings, hardware rules and exceptions beyond the form of their fields.
// Fields are named as in the body of a call.

import type { Problem } from '../../contract/error.ts'
import { findItem } from '../../model/list-edits.ts'
import type { Config } from '../../model/slots.ts'
import { accessLists } from './config.ts'
import type { AccessBinding, AccessEntry, AccessList, Bypass } from './contract-access-lists.ts'
import type { MacRule } from './contract-hardware.ts'
import { idProblems } from './verify-rules.ts'

const problem = (field: string, message: string): Problem => ({ field, message })

/** Dropping all of IPv4 would be no filter but a switch. */
const ipv4EtherType = 2048

export const macRuleProblems = (rule: MacRule): Problem[] =>
  rule.protocol === ipv4EtherType ? [problem('protocol', '2048 (IPv4) must not be used here.')] : []

export const accessListProblems = (list: AccessList): Problem[] =>
  list.value.flatMap((entry, index) => entryProblems(entry, `value[${index}]`))

function entryProblems(entry: AccessEntry, at: string): Problem[] {
  const { proto, sport_min, sport_max, dport_min, dport_max } = entry
  const hasPorts = proto === 'tcp' || proto === 'udp'
  const names = ['sport_min', 'sport_max', 'dport_min', 'dport_max'] as const
  if (!hasPorts)
    return names
      .filter((name) => entry[name] !== 0)
      .map((name) => problem(`${at}.${name}`, 'Must be 0 for a protocol without ports.'))
  return [
    ...(sport_min > sport_max ? [problem(`${at}.sport_max`, 'Must not be below sport_min.')] : []),
    ...(dport_min > dport_max ? [problem(`${at}.dport_max`, 'Must not be below dport_min.')] : []),
  ]
}

const isGroup = (id: string): boolean => /^(?:group\.id|security_group\.guid)\./.test(id)
const isProfile = (id: string): boolean => id.startsWith('hip_profile.')

export function bindingProblems(config: Config, binding: AccessBinding, at: string): Problem[] {
  const { src, hip, acl } = binding
  return [
    ...idProblems(config, `${at}.src`, src, isGroup, 'user group'),
    ...idProblems(config, `${at}.hip`, hip, isProfile, 'device profile'),
    ...(findItem(config, accessLists, acl) ? [] : [problem(`${at}.acl`, `There is no access control list ${acl}.`)]),
  ]
}

const bypassKinds =
  /^(?:ip|ip_range|subnet|domain|address_list|ip_address_list|user|group)\.id\.|^security_group\.guid\./

export const bypassProblems = (config: Config, item: Bypass): Problem[] =>
  idProblems(config, 'aliases', item.aliases, (id) => bypassKinds.test(id), 'address, user or group')
