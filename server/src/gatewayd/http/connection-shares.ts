// How many connections a listener holds: for each source and in all before a session was shown, and for each administrator
// after that. Anyone who already holds most makes room, so that descriptors and memory stay free for those who come next.

import type { Socket } from 'node:net'
import type { Source } from '../../shared/net/source.ts'

export interface ShareLimits {
  /** Above this, connections of a source that showed no session for a while make room for new ones. */
  readonly soft: number
  readonly graceMilliseconds: number
  readonly hard: number
  /** Without a session, of all sources together: far below the descriptors of the process. */
  readonly strangers: number
  /** With a session, of one administrator. */
  readonly ofOwner: number
  /** Sources that had a session and are remembered; those that showed one longest ago are forgotten. */
  readonly familiar: number
}

export const shareLimits: ShareLimits = {
  soft: 64,
  graceMilliseconds: 2_000,
  hard: 1_024,
  strangers: 4_096,
  ofOwner: 256,
  familiar: 1_024,
}

interface Stranger {
  readonly source: Source
  readonly since: number
}

export class ConnectionShares {
  readonly #limits: ShareLimits
  readonly #strangers = new Map<Socket, Stranger>()
  /** The oldest connection of a source first. */
  readonly #bySource = new Map<Source, Set<Socket>>()
  readonly #byOwner = new Map<string, Set<Socket>>()
  readonly #familiar = new Set<Source>()

  constructor(limits: Partial<ShareLimits> = {}) {
    this.#limits = { ...shareLimits, ...limits }
  }

  /** Connections that showed no session. */
  get strangers(): number {
    return this.#strangers.size
  }

  /** An administrator was there: what holds an address of attackers up does not hold this one up. */
  isFamiliar(source: Source): boolean {
    return this.#familiar.has(source)
  }

  /** How many connections without a session it holds. */
  heldBy(source: Source): number {
    return this.#bySource.get(source)?.size ?? 0
  }

  /** Takes one in, for which others may have to go. False when it has to go itself. */
  admit(socket: Socket, source: Source, now: number): boolean {
    const own = this.#bySource.get(source) ?? new Set()
    if (own.size >= this.#limits.soft) this.#dropOlder(own, now - this.#limits.graceMilliseconds)
    if (own.size >= this.#limits.hard) return false
    if (this.#strangers.size >= this.#limits.strangers && !this.#dropOf(this.#greediest(source))) return false
    this.#strangers.set(socket, { source, since: now })
    this.#bySource.set(source, own.add(socket))
    return true
  }

  /** A session was shown on it: it counts for its administrator from now on, whose longest held one makes room. */
  signIn(socket: Socket, source: Source, owner: string): void {
    this.forget(socket)
    this.#familiar.delete(source)
    this.#familiar.add(source)
    const [longestAgo] = this.#familiar.size > this.#limits.familiar ? this.#familiar : []
    if (longestAgo !== undefined) this.#familiar.delete(longestAgo)
    const own = this.#byOwner.get(owner) ?? new Set()
    const [first] = own.size >= this.#limits.ofOwner ? own : []
    if (first) {
      own.delete(first)
      first.destroy()
    }
    this.#byOwner.set(owner, own.add(socket))
    socket.once('close', () => {
      own.delete(socket)
      if (own.size === 0 && this.#byOwner.get(owner) === own) this.#byOwner.delete(owner)
    })
  }

  /** It is closed, or authenticated by now. */
  forget(socket: Socket): void {
    const known = this.#strangers.get(socket)
    if (!known) return
    this.#strangers.delete(socket)
    const own = this.#bySource.get(known.source)
    own?.delete(socket)
    if (own?.size === 0) this.#bySource.delete(known.source)
  }

  #dropOlder(own: Set<Socket>, before: number): void {
    for (const socket of own) {
      if ((this.#strangers.get(socket)?.since ?? before) >= before) return
      this.#drop(socket)
    }
  }

  /** The source with most connections; one that administrators use only when it holds more than others ever may. */
  #greediest(arriving: Source): Set<Socket> | undefined {
    let most: Set<Socket> | undefined
    for (const [source, own] of this.#bySource) {
      const isSpared = source !== arriving && own.size <= this.#limits.soft && this.#familiar.has(source)
      if (!isSpared && own.size > (most?.size ?? 0)) most = own
    }
    return most
  }

  #dropOf(own: Set<Socket> | undefined): boolean {
    const [oldest] = own ?? []
    if (oldest) this.#drop(oldest)
    return oldest !== undefined
  }

  #drop(socket: Socket): void {
    this.forget(socket)
    socket.destroy()
  }
}
