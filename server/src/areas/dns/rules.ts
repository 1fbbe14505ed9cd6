// What must hold for external servers and zones beyond the form of their fields; lists.ts declares them. Problems name the
// field as it is sent.

import type { Problem } from '../../core/contract/error.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { connectionAlias, connections, isExternal } from '../network/public.ts'
import type { ForwardZone, MasterZone, RootServer } from './contract.ts'
import { readZone } from './zone-file.ts'
import type { Fault } from './zone-records.ts'
import { checkZone } from './zone-records.ts'

export function serverProblems(config: Config, { type, object }: RootServer): Problem[] {
  const isAddress = !object.startsWith('interface.')
  if (type === 'ip') {
    return isAddress
      ? ownProblems(config, 'object', object)
      : [{ field: 'object', message: say`Must be the IPv4 address of the server when the type is ip.` }]
  }
  const connection = read(config, connections).find((one) => connectionAlias(one) === object)
  return connection && isExternal(connection)
    ? []
    : [{ field: 'object', message: say`Must be the id of a provider connection when the type is interface.` }]
}

export const forwardProblems = (config: Config, { servers }: ForwardZone): Problem[] =>
  servers.flatMap((address, index) => ownProblems(config, `servers[${index}]`, address))

/** A query sent to the gateway itself would loop. */
function ownProblems(config: Config, field: string, address: string): Problem[] {
  const isOwn = read(config, connections).some(
    (one) => 'addresses' in one && one.addresses.some((own) => own.split('/')[0] === address),
  )
  return isOwn
    ? [{ field, message: say`This is an address of the gateway itself; the server must be another one.` }]
    : []
}

const mostFaults = 20
/** Zones never change, so each is read once. */
const known = new WeakMap<MasterZone, readonly Problem[]>()

export function zoneProblems(zone: MasterZone): readonly Problem[] {
  const found = known.get(zone)
  if (found) return found
  const { records, faults } = readZone(zone.name, zone.config)
  // A line that cannot be parsed causes further faults, which would only hide the cause.
  const all: readonly Fault[] = faults.length > 0 ? faults : checkZone(zone.name, records)
  const problems = all
    .slice(0, mostFaults)
    .map(({ line, message }) => ({ field: 'config', message: say`Line ${line}: ${message}` }))
  known.set(zone, problems)
  return problems
}
