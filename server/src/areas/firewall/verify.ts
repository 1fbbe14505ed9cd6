// What no declaration can say of the firewall: limits over whole lists.

import type { Problem } from '../../core/contract/error.ts'
import { type Config, type ListSlot, read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { channelProblems } from './channel-limit.ts'
import { accessLists, destinationRules, macRules, pairRules, sourceRules } from './config.ts'
import { maxEntriesOverAll } from './contract-access-lists.ts'
import { maxHardwareRules } from './contract-hardware.ts'

export function verify(config: Config): Problem[] {
  const hardware = [macRules, sourceRules, destinationRules, pairRules].filter(
    (slot) => read(config, slot as ListSlot).length > maxHardwareRules,
  )
  const entries = read(config, accessLists).reduce((sum, { value }) => sum + value.length, 0)
  return [
    ...hardware.map(({ key }) => ({
      field: key,
      message: say`At most ${maxHardwareRules} rules of a kind are allowed.`,
    })),
    ...(entries > maxEntriesOverAll
      ? [{ field: accessLists.key, message: say`At most ${maxEntriesOverAll} entries over all lists are allowed.` }]
      : []),
    ...channelProblems(config),
  ]
}
