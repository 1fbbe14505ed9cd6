// Whose requests the content filter sees: users with every group above, and the addresses that authorization rules give to
// users. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import type { FilterUser } from '../../domain/web-filter/model.ts'
import { parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { authorizationRules } from '../authorization/public.ts'
import { findUser, groupPath, userId } from '../users/public.ts'

/** Null for a user that does not exist. */
export function filterUser(config: Config, id: string): FilterUser | null {
  const user = findUser(config, id)
  if (!user) return null
  return { id: user.id, login: user.login, name: user.name, members: [user.id, ...groupPath(config, user.parent_id)] }
}

/** What is asked of the sessions of users (areas/authorization/runs). */
interface KnownSession {
  readonly userId: string
  /** An address; for `net` a network. */
  readonly address: string
  readonly state: 'connected' | 'over_limit'
}

/**
 * Addresses and networks with their user. A session counts more than a rule. Rules with a card count when the host has come,
 * because only then its card is known.
 */
export function* placesOfUsers(config: Config, sessions: Iterable<KnownSession>): Generator<readonly [string, string]> {
  for (const { enabled, ip, mac, user_id } of read(config, authorizationRules)) {
    const place = enabled && ip !== null && mac === null ? placeOf(ip) : null
    // The switch of a user says that access is denied.
    if (place !== null && findUser(config, userId(user_id))?.enabled === false) yield [place, userId(user_id)]
  }
  for (const { address, state, userId: id } of sessions) {
    const place = state === 'connected' ? placeOf(address) : null
    if (place !== null) yield [place, id]
  }
}

function placeOf(text: string): string | null {
  const network = parseNetwork(text.includes('/') ? text : `${text}/32`)
  if (network === null) return null
  const bits = 32 - Math.round(Math.log2(network.high - network.low + 1))
  return bits === 32 ? printAddress(network.low) : `${printAddress(network.low)}/${bits}`
}
