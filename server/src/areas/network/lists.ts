// The lists of the network area, each declared once: interfaces of all kinds and the zones they are in.

import { declareList, mustExist, names, namesOne, type ReferenceField } from '../../core/model/declarations.ts'
import { findItem } from '../../core/model/list-edits.ts'
import { type Config, read } from '../../core/model/slots.ts'
import {
  aggregated,
  type Connection,
  connectionAlias,
  connections,
  slots,
  spans,
  tunnelAlias,
  tunnels,
  vceConnections,
  zones,
} from './config.ts'
import type { Span, Tunnel } from './contract.ts'
import { faultOfZone } from './resolve.ts'
import {
  aggregatedConflicts,
  connectionConflicts,
  connectionProblems,
  mirrorFault,
  spanConflicts,
  tunnelConflicts,
  tunnelProblems,
  vceConflicts,
} from './rules.ts'

const zoneOption = { prefixes: ['zone.'], faultOf: (config: Config, id: string) => faultOfZone(config, id) }

/** A card is named by its MAC, which is not an object. */
const aggregatedCard: ReferenceField<Connection> = {
  field: 'mac',
  isList: false,
  idsOf: ({ mac }) => (mac && !mac.includes(':') ? [mac] : []),
  faultOf: mustExist('aggregated interface', (config, id) => findItem(config, aggregated, id) !== undefined),
}

const isConnection = (config: Config, alias: string): boolean =>
  read(config, connections).some((one) => connectionAlias(one) === alias)

/** Interfaces compete for cards, addresses and zones, so each list depends on all of them. */
const reads = slots

export const connectionList = declareList<Connection>({
  slot: connections,
  ids: { kind: 'number' },
  noun: 'connection',
  nameOf: ({ title }) => `connection “${title}”`,
  mentionedAs: connectionAlias,
  secrets: ['password'],
  references: [aggregatedCard, namesOne('zone', zoneOption)],
  problemsOf: connectionProblems,
  conflictsOf: connectionConflicts,
  reads,
})

export const aggregatedList = declareList({
  slot: aggregated,
  ids: { kind: 'uuid' },
  noun: 'aggregated interface',
  nameOf: ({ title }) => `aggregated interface “${title}”`,
  conflictsOf: aggregatedConflicts,
  reads,
})

export const tunnelList = declareList<Tunnel>({
  slot: tunnels,
  ids: { kind: 'uuid' },
  noun: 'GRE tunnel',
  nameOf: ({ title }) => `GRE tunnel “${title}”`,
  mentionedAs: tunnelAlias,
  defaults: { local_ip: null },
  references: [
    namesOne('parent_interface', { prefixes: ['interface.'], faultOf: mustExist('interface', isConnection) }),
    namesOne('zone', zoneOption),
  ],
  problemsOf: tunnelProblems,
  conflictsOf: tunnelConflicts,
  reads,
})

export const vceList = declareList({
  slot: vceConnections,
  ids: { kind: 'uuid' },
  noun: 'interface passed into a virtual environment',
  conflictsOf: vceConflicts,
  reads,
})

export const spanList = declareList<Span>({
  slot: spans,
  ids: { kind: 'uuid' },
  noun: 'mirror interface',
  nameOf: ({ title }) => `mirror interface “${title}”`,
  references: [names('monitor_interfaces', { prefixes: ['interface.'], faultOf: mirrorFault })],
  conflictsOf: spanConflicts,
  reads,
})

/** Zones are served among the objects. */
export const zoneList = declareList({
  slot: zones,
  ids: { kind: 'prefixed', prefix: 'zone' },
  noun: 'zone',
  nameOf: ({ title }) => `zone "${title}"`,
  defaults: { comment: '' },
})

export const lists = [connectionList, aggregatedList, tunnelList, vceList, spanList, zoneList]
