// The lists and settings of the DNS area that more must hold of than the form of their fields, each declared once.

import { declareList, declareSettings, type Unique } from '../../core/model/declarations.ts'
import { say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { connections } from '../network/public.ts'
import { ddns, forwardZones, masterZones, rootServers } from './config.ts'
import type { ForwardZone, MasterZone, RootServer } from './contract.ts'
import { forwardProblems, serverProblems, zoneProblems } from './rules.ts'

export const rootServerList = declareList<RootServer>({
  slot: rootServers,
  ids: { kind: 'uuid' },
  noun: 'external DNS server',
  nameOf: ({ type, comment }) =>
    `external DNS ${type === 'ip' ? 'server' : 'servers of a connection'}${comment === '' ? '' : ` “${comment}”`}`,
  references: [
    {
      field: 'object',
      isList: false,
      idsOf: ({ type, object }) => (type === 'interface' ? [object] : []),
      prefixes: ['interface.'],
    },
  ],
  problemsOf: serverProblems,
  reads: [connections],
})

/** Names of zones are unique within their list; they are compared as DNS does, without regard to case. */
const uniqueName = (noun: string): Unique<{ readonly name: string }> => ({
  field: 'name',
  keyOf: ({ name }) => name.toLowerCase(),
  messageOf: ({ name }) => say`Another ${sayText(noun)} has the name ${name.toLowerCase()}.`,
})

export const forwardZoneList = declareList<ForwardZone>({
  slot: forwardZones,
  ids: { kind: 'uuid' },
  noun: 'forward zone',
  problemsOf: forwardProblems,
  unique: [uniqueName('forward zone')],
  reads: [connections],
})

export const masterZoneList = declareList<MasterZone>({
  slot: masterZones,
  ids: { kind: 'uuid' },
  noun: 'authoritative zone',
  problemsOf: (_, zone) => zoneProblems(zone),
  unique: [uniqueName('authoritative zone')],
})

export const ddnsSettings = declareSettings({ slot: ddns, noun: 'dynamic DNS', secrets: ['service_password'] })

export const lists = [rootServerList, forwardZoneList, masterZoneList]
