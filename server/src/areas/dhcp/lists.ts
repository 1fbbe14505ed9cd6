// The lists of the DHCP area, each declared once: entries, which are the whole service of one interface, and static leases.

import { declareList, mustExist, namesOne } from '../../core/model/declarations.ts'
import { say } from '../../shared/said.ts'
import { connectionAlias, connections } from '../network/public.ts'
import { entries, staticLeases } from './config.ts'
import type { Entry, NewEntry, NewStaticLease, StaticLease } from './contract.ts'
import { entryProblems, leaseProblems, localConnection } from './rules.ts'

export const entryList = declareList<Entry>({
  slot: entries,
  ids: { kind: 'uuid' },
  noun: 'DHCP settings entry',
  nameOf: (entry) => `DHCP settings of ${entry.interface}`,
  // Setting one of relay and server sets the other one to null, unless the body sets both.
  fieldsOf: (body: Partial<NewEntry>) => ({
    ...(body.relay ? { server: null } : {}),
    ...(body.server ? { relay: null } : {}),
    ...body,
    ...interfaceOf(body),
  }),
  references: [
    namesOne('interface', {
      prefixes: ['interface.'],
      faultOf: mustExist('local interface', (config, id) => localConnection(config, id) !== undefined),
    }),
  ],
  problemsOf: entryProblems,
  unique: [
    {
      field: 'interface',
      keyOf: (entry) => entry.interface,
      messageOf: () => say`The interface has DHCP settings already.`,
    },
  ],
  reads: [connections],
})

/** The id of a connection alone is taken for its alias. */
const interfaceOf = ({ interface: id }: Partial<NewEntry>): { interface?: string } =>
  id === undefined || id.startsWith('interface.') ? {} : { interface: connectionAlias({ id: Number(id) }) }

export const leaseList = declareList<StaticLease>({
  slot: staticLeases,
  ids: { kind: 'uuid' },
  noun: 'static lease',
  fieldsOf: (body: Partial<NewStaticLease>) => ({
    ...body,
    ...(body.mac === undefined ? {} : { mac: body.mac.toLowerCase() }),
  }),
  problemsOf: leaseProblems,
  unique: [
    {
      field: 'ip_address',
      keyOf: ({ enabled, ip_address }) => (enabled ? ip_address : null),
      messageOf: () => say`Another enabled static lease has this address.`,
    },
    {
      field: 'mac',
      keyOf: ({ enabled, mac }) => (enabled ? mac : null),
      messageOf: () => say`Another enabled static lease has this MAC.`,
    },
  ],
  reads: [connections],
})

export const lists = [entryList, leaseList]
