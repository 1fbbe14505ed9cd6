// What must hold for one rule beyond the form of its fields: its objects exist and are of the right kind, ports have a
// protocol that knows ports, translations fit the action. Fields are named as in the body of a call.

import type { Problem } from '../../contract/error.ts'
import type { Config } from '../../model/slots.ts'
import { parseSpan } from '../../net/ipv4.ts'
import { isInterfaceAlias } from '../network/public.ts'
import { isAddressId, isKnownObject, isPortId, isTimeId } from '../objects/public.ts'
import type { RuleTable } from './config.ts'
import type { Rule } from './contract-rules.ts'
import { inspectionProblems } from './inspection.ts'

type IsOfKind = (id: string) => boolean

const problem = (field: string, message: string): Problem => ({ field, message })

export function ruleProblems(config: Config, table: RuleTable, rule: Rule): Problem[] {
  return [
    ...listProblems(config, 'source_addresses', rule.source_addresses, isAddressId, 'address'),
    ...listProblems(config, 'destination_addresses', rule.destination_addresses, isAddressId, 'address'),
    ...listProblems(config, 'source_ports', rule.source_ports, isPortId, 'port'),
    ...listProblems(config, 'destination_ports', rule.destination_ports, isPortId, 'port'),
    ...listProblems(config, 'timetable', rule.timetable, isTimeId, 'time'),
    ...idProblems(config, 'hip_profiles', rule.hip_profiles ?? [], isProfileId, 'device profile'),
    ...portProblems(rule),
    ...zoneProblems(config, 'incoming_interface', rule.incoming_interface),
    ...zoneProblems(config, 'outgoing_interface', rule.outgoing_interface),
    ...inspectionProblems(config, rule),
    ...(table === 'dnat' ? dnatProblems(config, rule) : []),
    ...(table === 'snat' ? snatProblems(config, rule) : []),
  ]
}

const isProfileId: IsOfKind = (id) => id.startsWith('hip_profile.')

/** `["any"]`, or ids of one kind. */
function listProblems(config: Config, field: string, ids: readonly string[], isOfKind: IsOfKind, kind: string) {
  if (!ids.includes('any')) return idProblems(config, field, ids, isOfKind, kind)
  return ids.length === 1 ? [] : [problem(field, 'any must stand alone in its list.')]
}

export function idProblems(
  config: Config,
  field: string,
  ids: readonly string[],
  isOfKind: IsOfKind,
  kind: string,
): Problem[] {
  return ids.flatMap((id, index) => {
    if (!isOfKind(id)) return [problem(`${field}[${index}]`, `${id} is not the id of a ${kind} object.`)]
    return isKnownObject(config, id) ? [] : [problem(`${field}[${index}]`, `There is no object with the id ${id}.`)]
  })
}

const zoneProblems = (config: Config, field: string, alias = 'any'): Problem[] =>
  alias === 'any' ? [] : interfaceProblems(config, field, alias)

export const interfaceProblems = (config: Config, field: string, alias: string): Problem[] =>
  isInterfaceAlias(config, alias) ? [] : [problem(field, `There is no interface or zone with the id ${alias}.`)]

const hasPorts = (rule: Rule): boolean => rule.protocol === 'protocol.tcp' || rule.protocol === 'protocol.udp'

const onlyWithPorts = 'Ports can be given only with the protocol TCP or UDP.'

function portProblems(rule: Rule): Problem[] {
  if (hasPorts(rule)) return []
  const fields = ['source_ports', 'destination_ports'] as const
  return fields.filter((field) => !isAny(rule[field])).map((field) => problem(field, onlyWithPorts))
}

const isAny = (ids: readonly string[]): boolean => ids.length === 1 && ids[0] === 'any'

function dnatProblems(config: Config, rule: Rule): Problem[] {
  const address = rule.change_destination_address ?? null
  const port = rule.change_destination_port ?? null
  if (rule.action === 'accept')
    return [...untouched('change_destination_address', address), ...untouched('change_destination_port', port)]
  if (address === null && port === null)
    return [problem('change_destination_address', 'A DNAT rule must change the address, the port or both.')]
  return [...addressProblems(config, 'change_destination_address', address), ...changedPortProblems(config, rule, port)]
}

function snatProblems(config: Config, rule: Rule): Problem[] {
  const address = rule.change_source_address ?? null
  return rule.action === 'accept'
    ? untouched('change_source_address', address)
    : addressProblems(config, 'change_source_address', address)
}

const untouched = (field: string, value: string | null): Problem[] =>
  value === null ? [] : [problem(field, 'Must be null when the action is accept.')]

/** A literal address or range, or the id of an address or range object. */
function addressProblems(config: Config, field: string, value: string | null): Problem[] {
  if (value === null || (!value.includes('/') && parseSpan(value) !== null)) return []
  if (!/^ip(?:_range)?\.id\./.test(value))
    return [problem(field, 'Must be an IPv4 address, a range first-last, or the id of an address or range object.')]
  return isKnownObject(config, value) ? [] : [problem(field, `There is no object with the id ${value}.`)]
}

function changedPortProblems(config: Config, rule: Rule, value: string | null): Problem[] {
  const field = 'change_destination_port'
  if (value === null) return []
  if (!hasPorts(rule)) return [problem(field, onlyWithPorts)]
  if (parsePorts(value) !== null) return []
  if (!/^port(?:_range)?\.id\./.test(value))
    return [problem(field, 'Must be a port, a range first-last, or the id of a port or port range object.')]
  return isKnownObject(config, value) ? [] : [problem(field, `There is no object with the id ${value}.`)]
}

/** `8080` or `8080-8090`; null when it is neither. */
export function parsePorts(text: string): readonly [low: number, high: number] | null {
  const form = /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?$/.exec(text)
  if (!form) return null
  const low = Number(form[1])
  const high = Number(form[2] ?? form[1])
  return low <= high && high <= 65_535 ? [low, high] : null
}
