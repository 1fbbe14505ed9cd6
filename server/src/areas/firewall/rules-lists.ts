// What must hold for access control lists and hardware rules beyond the form of their fields. Problems name the field as it
// is sent.

import type { Problem } from '../../core/contract/error.ts'
import { type SaidText, say } from '../../shared/said.ts'
import type { AccessEntry, AccessList } from './contract-access-lists.ts'
import type { MacRule } from './contract-hardware.ts'

const problem = (field: string, message: SaidText): Problem => ({ field, message })

/** A rule that drops all of IPv4 would cut off the card. */
const ipv4EtherType = 2048

export const macRuleProblems = (rule: MacRule): Problem[] =>
  rule.protocol === ipv4EtherType ? [problem('protocol', say`2048 (IPv4) must not be used here.`)] : []

export const accessListProblems = (list: AccessList): Problem[] =>
  list.value.flatMap((entry, index) => entryProblems(entry, `value[${index}]`))

function entryProblems(entry: AccessEntry, at: string): Problem[] {
  const { proto, sport_min, sport_max, dport_min, dport_max } = entry
  const hasPorts = proto === 'tcp' || proto === 'udp'
  const names = ['sport_min', 'sport_max', 'dport_min', 'dport_max'] as const
  if (!hasPorts)
    return names
      .filter((name) => entry[name] !== 0)
      .map((name) => problem(`${at}.${name}`, say`Must be 0 for a protocol without ports.`))
  return [
    ...(sport_min > sport_max ? [problem(`${at}.sport_max`, say`Must not be below sport_min.`)] : []),
    ...(dport_min > dport_max ? [problem(`${at}.dport_max`, say`Must not be below dport_min.`)] : []),
  ]
}
