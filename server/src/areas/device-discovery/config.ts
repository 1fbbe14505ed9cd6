// Stored settings of device discovery: off, and new devices go into the topmost group. Devices that are found need a group
// that accepts users made on the gateway.

import { declareSettings } from '../../core/model/declarations.ts'
import { type Config, single } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { findGroup, groupId, groups } from '../users/public.ts'
import { DiscoverySettings } from './contract.ts'

export const slot = single('device_discovery.settings', DiscoverySettings, {
  enabled: false,
  group_id: 1,
  networks: [],
})

export const discoverySettings = declareSettings({
  slot,
  noun: 'settings of device discovery',
  references: [
    {
      field: 'group_id',
      isList: false,
      prefixes: ['group.'],
      idsOf: ({ group_id }) => [groupId(group_id)],
      faultOf: groupFault,
    },
  ],
  reads: [groups],
})

function groupFault(config: Config, id: string, { group_id }: DiscoverySettings): SaidText | null {
  const group = findGroup(config, id)
  if (!group) return say`There is no group with the number ${group_id}.`
  return group.domain_type === 'local'
    ? null
    : say`The group "${group.name}" does not accept users made on the gateway.`
}
