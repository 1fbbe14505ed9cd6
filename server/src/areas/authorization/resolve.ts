// Which addresses users and groups have by authorization rules, as entries of the address book. Pure but for what it remembers.

import { type Config, read } from '../../core/model/slots.ts'
import type { AddressBook, Facts } from '../../core/plan/facts.ts'
import { printSpan } from '../../shared/net/ipv4.ts'
import { pairsOf, type Ranges } from '../../shared/net/ranges.ts'
import { groupPath, groups, userId, users } from '../users/public.ts'
import { claimNetworks, claimsOf } from './claims.ts'
import { authorizationRules } from './config.ts'
import type { AuthorizationRule } from './contract.ts'

interface Known {
  readonly accounts: unknown
  readonly groups: unknown
  readonly addresses: AddressBook
}

/** By the rules; the last few, because a change asks for what was before and for what comes after. */
const remembered = new WeakMap<readonly AuthorizationRule[], readonly Known[]>()
const mostRemembered = 4
let last: AddressBook = new Map()

/**
 * Addresses by user.id.<n>, and by group.id.<n> for all groups the user is in. Asked at every change, so the same
 * configuration of users and rules gives the same result at once, and an entry that did not change keeps its identity.
 */
export function userAddresses(config: Config): AddressBook {
  const rules = read(config, authorizationRules)
  const now = { accounts: read(config, users), groups: read(config, groups) }
  const all = remembered.get(rules) ?? []
  const known = all.find((one) => one.accounts === now.accounts && one.groups === now.groups)
  if (known) return known.addresses
  const addresses = keepSame(resolved(config), last)
  last = addresses
  remembered.set(rules, [{ ...now, addresses }, ...all].slice(0, mostRemembered))
  return addresses
}

function keepSame(found: AddressBook, old: AddressBook): AddressBook {
  const kept = new Map([...found].map(([id, addresses]) => [id, sameOr(old.get(id), addresses)]))
  return old.size === kept.size && [...kept].every(([id, addresses]) => old.get(id) === addresses) ? old : kept
}

const sameOr = (old: readonly string[] | undefined, addresses: readonly string[]): readonly string[] =>
  old?.length === addresses.length && old.every((address, at) => address === addresses[at]) ? old : addresses

const booksWith = new WeakMap<AddressBook, WeakMap<AddressBook, AddressBook>>()
const factsWith = new WeakMap<Facts, WeakMap<AddressBook, Facts>>()

/**
 * The facts, and where users are by the rules of this configuration: so that a change of the rules is one plan with what
 * follows from it. The same facts for the same rules.
 */
export function withUserAddresses(config: Config, facts: Facts): Facts {
  const own = userAddresses(config)
  if (own.size === 0) return facts
  const { addressBook } = facts
  const make = (): AddressBook => new Map([...addressBook, ...own])
  return once(factsWith, facts, own, () => ({ ...facts, addressBook: once(booksWith, addressBook, own, make) }))
}

function once<K extends object, T>(
  all: WeakMap<K, WeakMap<AddressBook, T>>,
  key: K,
  addresses: AddressBook,
  make: () => T,
): T {
  const ofKey = all.get(key) ?? new WeakMap<AddressBook, T>()
  all.set(key, ofKey)
  const made = ofKey.get(addresses) ?? make()
  ofKey.set(addresses, made)
  return made
}

function resolved(config: Config): AddressBook {
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
