// What must hold for one rule beyond the form of its fields and the objects it names: ports need a protocol with ports,
// translations fit the action. Problems name the field as it is sent.

import type { Problem } from '../../core/contract/error.ts'
import type { Config } from '../../core/model/slots.ts'
import { parseSpan } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import type { RuleTable } from './config.ts'
import type { Rule } from './contract-rules.ts'
import { inspectionProblems } from './inspection-fields.ts'

const problem = (field: string, message: SaidText): Problem => ({ field, message })

/** References of the rule are checked by its declaration. */
export const ruleProblems = (config: Config, table: RuleTable, rule: Rule): Problem[] => [
  ...portProblems(rule),
  ...inspectionProblems(config, rule),
  ...(table === 'dnat' ? dnatProblems(rule) : []),
  ...(table === 'snat' ? snatProblems(rule) : []),
]

const hasPorts = (rule: Rule): boolean => rule.protocol === 'protocol.tcp' || rule.protocol === 'protocol.udp'

const onlyWithPorts = say`Ports can be given only with the protocol TCP or UDP.`

function portProblems(rule: Rule): Problem[] {
  if (hasPorts(rule)) return []
  const fields = ['source_ports', 'destination_ports'] as const
  return fields.filter((field) => !isAny(rule[field])).map((field) => problem(field, onlyWithPorts))
}

const isAny = (ids: readonly string[]): boolean => ids.length === 1 && ids[0] === 'any'

function dnatProblems(rule: Rule): Problem[] {
  const address = rule.change_destination_address ?? null
  const port = rule.change_destination_port ?? null
  if (rule.action === 'accept')
    return [...untouched('change_destination_address', address), ...untouched('change_destination_port', port)]
  if (address === null && port === null)
    return [problem('change_destination_address', say`A DNAT rule must change the address, the port or both.`)]
  return [...addressProblems('change_destination_address', address), ...changedPortProblems(rule, port)]
}

function snatProblems(rule: Rule): Problem[] {
  const address = rule.change_source_address ?? null
  return rule.action === 'accept'
    ? untouched('change_source_address', address)
    : addressProblems('change_source_address', address)
}

const untouched = (field: string, value: string | null): Problem[] =>
  value === null ? [] : [problem(field, say`Must be null when the action is accept.`)]

/** Ids of objects that can replace an address or a port. */
export const addressForm = /^ip(?:_range)?\.id\./
export const portForm = /^port(?:_range)?\.id\./

function addressProblems(field: string, value: string | null): Problem[] {
  const isLiteral = value === null || (!value.includes('/') && parseSpan(value) !== null)
  return isLiteral || addressForm.test(value)
    ? []
    : [problem(field, say`Must be an IPv4 address, a range first-last, or the id of an address or range object.`)]
}

function changedPortProblems(rule: Rule, value: string | null): Problem[] {
  const field = 'change_destination_port'
  if (value === null) return []
  if (!hasPorts(rule)) return [problem(field, onlyWithPorts)]
  return parsePorts(value) !== null || portForm.test(value)
    ? []
    : [problem(field, say`Must be a port, a range first-last, or the id of a port or port range object.`)]
}

/** `8080` or `8080-8090`; null when it is neither. */
export function parsePorts(text: string): readonly [low: number, high: number] | null {
  const form = /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?$/.exec(text)
  if (!form) return null
  const low = Number(form[1])
  const high = Number(form[2] ?? form[1])
  return low <= high && high <= 65_535 ? [low, high] : null
}
