// What can be done to the settings of device discovery: found devices need a group that takes new users.

import { invalid } from '../../contract/error.ts'
import { updateSingle } from '../../model/list-edits.ts'
import type { Reference } from '../../model/references.ts'
import { type Config, read } from '../../model/slots.ts'
import { findGroup, groupId } from '../users/public.ts'
import { discoverySettings } from './config.ts'
import type { DiscoverySettings } from './contract.ts'

export function updateSettings(config: Config, patch: Partial<DiscoverySettings>): Config {
  if (patch.group_id !== undefined) refuseGroup(config, patch.group_id)
  return updateSingle(config, discoverySettings, patch)
}

function refuseGroup(config: Config, number: number): void {
  const group = findGroup(config, groupId(number))
  if (!group) throw invalid('group_id', `There is no group with the number ${number}.`)
  if (group.domain_type !== 'local')
    throw invalid('group_id', `The group "${group.name}" does not take users made on the gateway.`)
}

/** The settings mention the group that devices go into. */
export const references = (config: Config): readonly Reference[] => [
  {
    id: groupId(read(config, discoverySettings).group_id),
    object: discoverySettings.key,
    field: 'group_id',
    title: 'Settings of device discovery',
  },
]
