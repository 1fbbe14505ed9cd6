// Which addresses users and groups have by authorization rules, for the address book. Pure.

import { type Config, perState, read } from '../../model/slots.ts'
import { printSpan } from '../../net/ipv4.ts'
import { pairsOf, type Ranges } from '../../net/ranges.ts'
import { groupPath, groups, userId, users } from '../users/public.ts'
import { claimNetworks, claimsOf } from './claims.ts'
import { authorizationRules } from './config.ts'

type Addresses = ReadonlyMap<string, readonly string[]>

/**
 * Addresses by user.id.<n>, and by group.id.<n> for all groups the user is in. Asked at every change, so the same
 * configuration of users and rules gives the same result at once.
 */
export const userAddresses = perState([authorizationRules, users, groups], resolved)

function resolved(config: Config): Addresses {
  const byUser = ownAddresses(config)
  const result = new Map<string, string[]>()
  if (byUser.size === 0) return result
  for (const user of read(config, users)) {
    const own = byUser.get(user.id)
    // A user who is denied access cannot authorize.
    if (!own || user.enabled) continue
    for (const id of [user.id, ...groupPath(config, user.parent_id)]) {
      const addresses = result.get(id) ?? []
      for (const address of own) addresses.push(address)
      result.set(id, addresses)
    }
  }
  return result
}

/** As addresses, networks and `first-last`. */
function ownAddresses(config: Config): Map<string, string[]> {
  const { hosts, networks } = claimsOf(read(config, authorizationRules))
  const byUser = new Map<string, string[]>()
  const add = (userNumber: number, ranges: Ranges): void => {
    const id = userId(userNumber)
    const texts = byUser.get(id) ?? []
    for (const [low, high] of pairsOf(ranges)) texts.push(printSpan(low, high))
    byUser.set(id, texts)
  }
  for (const [address, userNumber] of hosts) add(userNumber, [address, address])
  for (const { userNumber, ranges } of claimNetworks(networks, hosts.keys())) add(userNumber, ranges)
  return byUser
}
