// All sessions of users in memory, found by id, address, network, user and rule. No look-up grows with the number of sessions.

import { networkAround } from '../../../shared/net/ipv4.ts'
import type { UserSession } from './session.ts'

/** A session with what is known of it beyond what is shown. */
export interface Entry {
  session: UserSession
  /** Of the user, when it began or was loaded. */
  readonly login: string
  /** A digest of the password that was signed in with; null for a session by a rule. */
  readonly credential: string | null
  /** Connections of the host have to be cut. */
  mustCut: boolean
  /** Live sets of members that have its address. */
  sets: readonly string[]
  /** Of a network: the hosts that sent something. */
  readonly hosts: Set<string>
  /** Elapsed seconds before which it cannot have been silent for too long. */
  expires: number
  /** Number of the comparison with the kernel that was the newest when it was last known to be alive. */
  touched: number
  isOpen: boolean
}

export interface UsersEntries {
  readonly connected: Set<Entry>
  /** Over the limit, in the order in which they come back. */
  readonly waiting: Set<Entry>
}

const none: UsersEntries = { connected: new Set(), waiting: new Set() }

export class SessionIndex {
  readonly #byId = new Map<string, Entry>()
  readonly #byAddress = new Map<string, Entry>()
  readonly #byNetwork = new Map<string, Entry>()
  readonly #byUser = new Map<string, UsersEntries>()
  readonly #byRule = new Map<string, Set<Entry>>()
  /** How many networks have a prefix of this length. */
  readonly #prefixes = new Map<number, number>()

  get size(): number {
    return this.#byId.size
  }

  all(): IterableIterator<Entry> {
    return this.#byId.values()
  }

  find(id: string): Entry | undefined {
    return this.#byId.get(id)
  }

  /** The session of exactly this address. */
  at(address: string): Entry | undefined {
    return this.#byAddress.get(address)
  }

  atNetwork(network: string): Entry | undefined {
    return this.#byNetwork.get(network)
  }

  /** The session of the network that this address is in. */
  around(address: string): Entry | undefined {
    for (const prefix of this.#prefixes.keys()) {
      const found = this.#byNetwork.get(networkAround(address, prefix))
      if (found) return found
    }
    return undefined
  }

  ofUser(userId: string): UsersEntries {
    return this.#byUser.get(userId) ?? none
  }

  ofRule(ruleId: string): ReadonlySet<Entry> {
    return this.#byRule.get(ruleId) ?? none.connected
  }

  add(entry: Entry): void {
    const { id, userId, type, address, ruleId } = entry.session
    entry.isOpen = true
    this.#byId.set(id, entry)
    if (type === 'net') {
      this.#byNetwork.set(address, entry)
      this.#countPrefix(address, 1)
    } else this.#byAddress.set(address, entry)
    const own = this.#byUser.get(userId) ?? { connected: new Set(), waiting: new Set() }
    this.#byUser.set(userId, own)
    placeOf(own, entry).add(entry)
    if (ruleId === null) return
    const ofRule = this.#byRule.get(ruleId) ?? new Set()
    this.#byRule.set(ruleId, ofRule)
    ofRule.add(entry)
  }

  remove(entry: Entry): void {
    const { id, userId, type, address, ruleId } = entry.session
    entry.isOpen = false
    this.#byId.delete(id)
    if (type === 'net') {
      if (this.#byNetwork.get(address) === entry) this.#byNetwork.delete(address)
      this.#countPrefix(address, -1)
    } else if (this.#byAddress.get(address) === entry) this.#byAddress.delete(address)
    const own = this.#byUser.get(userId)
    own?.connected.delete(entry)
    own?.waiting.delete(entry)
    if (own && own.connected.size + own.waiting.size === 0) this.#byUser.delete(userId)
    const ofRule = this.#byRule.get(ruleId ?? '')
    ofRule?.delete(entry)
    if (ofRule?.size === 0) this.#byRule.delete(ruleId ?? '')
  }

  setState(entry: Entry, state: UserSession['state']): void {
    const own = this.#byUser.get(entry.session.userId) ?? none
    placeOf(own, entry).delete(entry)
    entry.session = { ...entry.session, state }
    placeOf(own, entry).add(entry)
  }

  #countPrefix(network: string, by: number): void {
    const prefix = Number(network.split('/')[1])
    const count = (this.#prefixes.get(prefix) ?? 0) + by
    if (count > 0) this.#prefixes.set(prefix, count)
    else this.#prefixes.delete(prefix)
  }
}

const placeOf = ({ connected, waiting }: UsersEntries, { session }: Entry): Set<Entry> =>
  session.state === 'connected' ? connected : waiting
