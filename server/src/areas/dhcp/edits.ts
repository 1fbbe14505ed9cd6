// What can be done to the entries and static leases of DHCP. Every edit is held against the rules of verify.ts, so that
// faults carry the names of the fields that were sent.

import { refuse } from '../../contract/error.ts'
import { addItem, requireItem, updateItem } from '../../model/list-edits.ts'
import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { connectionAlias } from '../network/public.ts'
import { entries, staticLeases } from './config.ts'
import type { Entry, NewEntry, NewStaticLease, StaticLease } from './contract.ts'
import { entryProblems, leaseProblems, takenByLease, takenInterface } from './verify.ts'

export const entryItem = 'DHCP settings entry'
export const leaseItem = 'static lease'

export function addEntry(config: Config, id: string, fields: NewEntry): Config {
  const entry: Entry = { ...fields, ...interfaceOf(fields), id }
  refuseEntry(config, entry)
  return addItem(config, entries, entry)
}

/** Setting one of relay and server sets the other one to null, unless the body sets both. */
export function updateEntry(config: Config, id: string, patch: Partial<NewEntry>): Config {
  const entry: Entry = {
    ...requireItem(config, entries, id, entryItem),
    ...(patch.relay ? { server: null } : {}),
    ...(patch.server ? { relay: null } : {}),
    ...patch,
    ...interfaceOf(patch),
  }
  refuseEntry(config, entry)
  return updateItem(config, entries, entry)
}

/** The id of a connection alone is taken for its alias. */
const interfaceOf = ({ interface: id }: Partial<NewEntry>): { interface?: string } =>
  id === undefined || id.startsWith('interface.') ? {} : { interface: connectionAlias({ id: Number(id) }) }

function refuseEntry(config: Config, entry: Entry): void {
  refuse(entryProblems(config, entry))
  refuse(takenInterface(config, entry), 'conflict')
}

export function addStaticLease(config: Config, id: string, fields: NewStaticLease): Config {
  const lease: StaticLease = { ...fields, mac: fields.mac.toLowerCase(), id }
  refuse(leaseProblems(config, lease))
  refuse(takenByLease(config, lease), 'conflict')
  return addItem(config, staticLeases, lease)
}

export function updateStaticLease(config: Config, id: string, patch: Partial<NewStaticLease>): Config {
  const changed = { ...requireItem(config, staticLeases, id, leaseItem), ...patch }
  const lease: StaticLease = { ...changed, mac: changed.mac.toLowerCase() }
  refuse(leaseProblems(config, lease))
  refuse(takenByLease(config, lease), 'conflict')
  return updateItem(config, staticLeases, lease)
}

/** The interfaces that entries stand on. */
export const references = (config: Config): Reference[] =>
  read(config, entries).map((entry) => ({
    id: entry.interface,
    object: `${entries.key}[${entry.id}]`,
    field: 'interface',
    title: `DHCP settings of ${entry.interface}`,
  }))
