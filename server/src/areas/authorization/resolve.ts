// Which addresses users and groups have without waiting for traffic, for the address book. Pure.

import { type Config, perState, read } from '../../model/slots.ts'
import { groupPath, groups, userId, users } from '../users/public.ts'
import { authorizationRules } from './config.ts'

type Addresses = ReadonlyMap<string, readonly string[]>

/**
 * Addresses by user.id.<n>, and by group.id.<n> for all groups the user is in. Asked at every change, so the same
 * configuration of users and rules gives the same result at once.
 */
export const userAddresses = perState([authorizationRules, users, groups], resolved)

function resolved(config: Config): Addresses {
  const byUser = ownAddresses(config)
  const result = new Map<string, Set<string>>()
  if (byUser.size === 0) return new Map()
  for (const user of read(config, users)) {
    const own = byUser.get(user.id)
    // A user who is denied access cannot authorize.
    if (!own || user.enabled) continue
    for (const id of [user.id, ...groupPath(config, user.parent_id)]) {
      const addresses = result.get(id) ?? new Set()
      for (const address of own) addresses.add(address)
      result.set(id, addresses)
    }
  }
  return new Map([...result].map(([id, addresses]) => [id, [...addresses]]))
}

/** An address is one user's at a time: that of the first rule in the list. */
function ownAddresses(config: Config): Map<string, string[]> {
  const taken = new Set<string>()
  const byUser = new Map<string, string[]>()
  for (const { enabled, always_logged, ip, user_id } of read(config, authorizationRules)) {
    if (!enabled || !always_logged || ip === null || taken.has(ip)) continue
    taken.add(ip)
    const id = userId(user_id)
    byUser.set(id, [...(byUser.get(id) ?? []), ip])
  }
  return byUser
}
