// What must hold for external servers and zones beyond the form of their fields. Faults name the field as it is sent;
// `verify` says it for the whole configuration, edits for the object at hand.

import type { Problem } from '../../contract/error.ts'
import type { ListDeclaration } from '../../model/declarations.ts'
import { type Config, type Item, read } from '../../model/slots.ts'
import { connectionAlias, connections, isExternal } from '../network/public.ts'
import { forwardZones, masterZones, rootServers } from './config.ts'
import type { ForwardZone, MasterZone, RootServer } from './contract.ts'
import { type Fault, readZone } from './zone-file.ts'
import { checkZone } from './zone-records.ts'

/** Also what edits of the lists are held against. */
export const rootServerList: ListDeclaration<RootServer> = {
  slot: rootServers,
  noun: 'external DNS server',
  ids: { kind: 'uuid' },
  problemsOf: serverProblems,
}

export const forwardZoneList: ListDeclaration<ForwardZone> = {
  slot: forwardZones,
  noun: 'forward zone',
  ids: { kind: 'uuid' },
  problemsOf: (config, { servers }) =>
    servers.flatMap((address, index) => ownProblems(config, `servers[${index}]`, address)),
  conflictsOf: (config, zone) => takenName(config, forwardZoneList, zone),
}

export const masterZoneList: ListDeclaration<MasterZone> = {
  slot: masterZones,
  noun: 'own zone',
  ids: { kind: 'uuid' },
  problemsOf: (_config, zone) => zoneProblems(zone),
  conflictsOf: (config, zone) => takenName(config, masterZoneList, zone),
}

export const verify = (config: Config): Problem[] => [
  ...listProblems(config, rootServerList),
  ...listProblems(config, forwardZoneList),
  ...listProblems(config, masterZoneList),
]

function listProblems<T extends Item>(config: Config, list: ListDeclaration<T>): Problem[] {
  const { slot, problemsOf, conflictsOf } = list
  return read(config, slot).flatMap((item) =>
    [...(problemsOf?.(config, item, item) ?? []), ...(conflictsOf?.(config, item) ?? [])].map(({ field, message }) => ({
      field: `${slot.key}[${item.id}].${field}`,
      message,
    })),
  )
}

const named = new WeakMap<readonly Item[], ReadonlyMap<string, readonly Item[]>>()

type Zone = Item & { readonly name: string }

/** Names of zones are unique within their list; they are compared as DNS does, without regard to case. */
function takenName<T extends Zone>(config: Config, list: ListDeclaration<T>, zone: T): Problem[] {
  const nameOf = (one: Zone): string => one.name.toLowerCase()
  const zones = read(config, list.slot)
  const byName = named.get(zones) ?? Map.groupBy(zones, nameOf)
  named.set(zones, byName)
  const name = nameOf(zone)
  const isTaken = byName.get(name)?.some((other) => other.id !== zone.id) ?? false
  return isTaken ? [{ field: 'name', message: `Another ${list.noun} has the name ${name}.` }] : []
}

function serverProblems(config: Config, { type, object }: RootServer): Problem[] {
  const isAddress = !object.startsWith('interface.')
  if (type === 'ip') {
    return isAddress
      ? ownProblems(config, 'object', object)
      : [{ field: 'object', message: 'Must be the IPv4 address of the server when the type is ip.' }]
  }
  const connection = read(config, connections).find((one) => connectionAlias(one) === object)
  return connection && isExternal(connection)
    ? []
    : [{ field: 'object', message: 'Must be the id of a provider connection when the type is interface.' }]
}

/** A query sent to the gateway itself would go round for ever. */
function ownProblems(config: Config, field: string, address: string): Problem[] {
  const isOwn = read(config, connections).some(
    (one) => 'addresses' in one && one.addresses.some((own) => own.split('/')[0] === address),
  )
  return isOwn ? [{ field, message: 'This is an address of the gateway itself; the server must be another one.' }] : []
}

const mostFaults = 20
/** Zones never change, so each is read once. */
const known = new WeakMap<MasterZone, readonly Problem[]>()

function zoneProblems(zone: MasterZone): readonly Problem[] {
  const found = known.get(zone)
  if (found) return found
  const { records, faults } = readZone(zone.name, zone.config)
  // What does not read has consequences for the rest; they would only hide the cause.
  const all: readonly Fault[] = faults.length > 0 ? faults : checkZone(zone.name, records)
  const problems = all
    .slice(0, mostFaults)
    .map(({ line, message }) => ({ field: 'config', message: `Line ${line}: ${message}` }))
  known.set(zone, problems)
  return problems
}
