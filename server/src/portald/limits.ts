// How much of the portal one host may take. A host has a number of connections and of requests; when all connections are in
// use, the one that has been silent longest of the host that has most makes room, so silent clients never keep others out.

import type { Socket } from 'node:net'

export interface ConnectionLimits {
  readonly all: number
  readonly ofSource: number
}

interface Connection {
  readonly socket: Socket
  readonly peer: string
  readonly source: string
  /** What answers are written to: the socket of TLS where there is one. */
  writer: Socket
  /** Since when something waits to be taken by the client; null when nothing does. */
  untakenSince: number | null
}

/** The same for the socket of TLS and the one below it, which share nothing else. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

export class ConnectionTable {
  readonly #limits: ConnectionLimits
  readonly #byPeer = new Map<string, Connection>()
  /** The connections of a source, the one that has been silent longest first. */
  readonly #bySource = new Map<string, Set<Connection>>()

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#byPeer.size
  }

  admit(socket: Socket, source: string): void {
    const connection: Connection = { socket, peer: peerOf(socket), source, writer: socket, untakenSince: null }
    const own = this.#bySource.get(source) ?? new Set()
    if (own.size >= this.#limits.ofSource) this.#drop(own)
    else if (this.#byPeer.size >= this.#limits.all) this.#drop(this.#greediest())
    this.#byPeer.set(connection.peer, connection)
    this.#bySource.set(source, own.add(connection))
    socket.once('close', () => this.#forget(connection))
  }

  /** TLS speaks on it from now on. */
  secure(socket: Socket): void {
    const connection = this.#byPeer.get(peerOf(socket))
    if (connection) connection.writer = socket
  }

  /** It has just sent a whole request. */
  touch(socket: Socket): void {
    const connection = this.#byPeer.get(peerOf(socket))
    const own = connection && this.#bySource.get(connection.source)
    if (!connection || !own?.delete(connection)) return
    own.add(connection)
  }

  /** Cuts clients that do not take their answer within the time. */
  dropUntaken(now: number, withinMs: number): void {
    for (const connection of this.#byPeer.values()) {
      if (connection.writer.writableLength === 0) connection.untakenSince = null
      else if (connection.untakenSince === null) connection.untakenSince = now
      else if (now - connection.untakenSince > withinMs) connection.socket.destroy()
    }
  }

  #greediest(): Set<Connection> | undefined {
    let most: Set<Connection> | undefined
    for (const own of this.#bySource.values()) if (own.size > (most?.size ?? 0)) most = own
    return most
  }

  #drop(connections: Set<Connection> | undefined): void {
    const [silent] = connections ?? []
    if (!silent) return
    silent.socket.destroy()
    this.#forget(silent)
  }

  #forget(connection: Connection): void {
    const { peer, source } = connection
    if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer)
    const own = this.#bySource.get(source)
    own?.delete(connection)
    if (own?.size === 0) this.#bySource.delete(source)
  }
}

export interface RequestLimits {
  /** Requests at once. */
  readonly burst: number
  readonly perSecond: number
  /** Sources that are remembered; the one that asked longest ago is forgotten. */
  readonly sources: number
}

/** A token bucket for each source. */
export class RequestBudget {
  readonly #limits: RequestLimits
  readonly #buckets = new Map<string, { readonly tokens: number; readonly at: number }>()

  constructor(limits: RequestLimits) {
    this.#limits = limits
  }

  /** `now` in milliseconds. False: the source has asked too often. */
  take(source: string, now: number): boolean {
    const { burst, perSecond, sources } = this.#limits
    const known = this.#buckets.get(source)
    const refilled = known ? known.tokens + ((now - known.at) / 1000) * perSecond : burst
    const tokens = Math.min(burst, refilled)
    const isAllowed = tokens >= 1
    this.#buckets.delete(source)
    this.#buckets.set(source, { tokens: isAllowed ? tokens - 1 : tokens, at: now })
    const [oldest] = this.#buckets.size > sources ? this.#buckets.keys() : []
    if (oldest !== undefined) this.#buckets.delete(oldest)
    return isAllowed
  }
}
