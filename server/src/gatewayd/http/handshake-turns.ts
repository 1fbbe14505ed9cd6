// When the TLS handshake of a new connection begins. A handshake costs a thousand times what it costs to ask for one, so those
// who ask for many wait for those who ask for few: the kernel hands connections over in the order in which they came.

import type { Socket } from 'node:net'
import type { Source } from '../../shared/net/source.ts'
import { patient } from '../../shared/pace.ts'

/** Handshakes that begin in one turn of the event loop. */
const perTurn = 4
/** As long as the kernel has more connections to hand over, one begins in each of so many turns: who waits there is unknown. */
const patientTurns = 16
/** A source that began more than this within the time waits for those that did not; one that administrators use may begin more. */
const windowMilliseconds = 10_000
const fewHandshakes = 8
const fewOfFamiliar = 64
/** As long as a handshake itself may take. */
const longestWaitMilliseconds = patient(10_000)

interface Waiting {
  readonly socket: Socket
  readonly since: number
  readonly begin: () => void
}

interface Recent {
  readonly since: number
  count: number
}

export class HandshakeTurns {
  readonly #isFamiliar: (source: Source) => boolean
  readonly #recent = new Map<Source, Recent>()
  #recentSince = 0
  /** Sources that administrators use, then those that ask for few, each in their order. */
  readonly #first = new Set<Waiting>()
  readonly #few = new Set<Waiting>()
  /** One of each source in turn, and the newest of it: an honest client behind the same address came just now. */
  readonly #many = new Map<Source, Set<Waiting>>()
  #hasArrived = false
  #hadArrived = false
  #turnsWaited = 0
  #isScheduled = false

  constructor(isFamiliar: (source: Source) => boolean) {
    this.#isFamiliar = isFamiliar
  }

  /** Begins in the same turn of the event loop as long as there is little to do. */
  take(socket: Socket, source: Source, begin: () => void): void {
    const now = performance.now()
    const count = this.#count(source, now)
    this.#hasArrived = true
    this.#schedule()
    const queue = this.#queueFor(source, count)
    const waiting = { socket, since: now, begin }
    queue.add(waiting)
    // One that has gone leaves nothing behind, however many come and go while it would have waited.
    socket.once('close', () => {
      queue.delete(waiting)
      if (queue.size === 0 && this.#many.get(source) === queue) this.#many.delete(source)
    })
  }

  #queueFor(source: Source, count: number): Set<Waiting> {
    if (count <= fewOfFamiliar && this.#isFamiliar(source)) return this.#first
    if (count <= fewHandshakes) return this.#few
    const own = this.#many.get(source) ?? new Set()
    this.#many.set(source, own)
    return own
  }

  get #isNoneWaiting(): boolean {
    return this.#first.size === 0 && this.#few.size === 0 && this.#many.size === 0
  }

  #count(source: Source, now: number): number {
    if (now - this.#recentSince > windowMilliseconds) {
      this.#recentSince = now
      for (const [known, { since }] of this.#recent) if (now - since > windowMilliseconds) this.#recent.delete(known)
    }
    const known = this.#recent.get(source)
    if (known && now - known.since <= windowMilliseconds) return ++known.count
    this.#recent.set(source, { since: now, count: 1 })
    return 1
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isScheduled = false
    // Two turns in a row: the kernel hands one connection over in each.
    const isBusy = this.#hasArrived && this.#hadArrived
    const isPatient = isBusy && ++this.#turnsWaited < patientTurns
    this.#hadArrived = this.#hasArrived
    this.#hasArrived = false
    // Those that administrators use never wait for more to arrive.
    for (let count = 0; count < perTurn; count++) {
      const next = firstOf(this.#first) ?? (isPatient || (isBusy && count > 0) ? undefined : this.#next())
      if (!next) break
      this.#begin(next)
    }
    if (!isPatient) this.#turnsWaited = 0
    if (this.#hadArrived || !this.#isNoneWaiting) this.#schedule()
  }

  #next(): Waiting | undefined {
    const few = firstOf(this.#few)
    if (few) return few
    const [next] = this.#many
    if (!next) return undefined
    const [source, own] = next
    this.#many.delete(source)
    const waiting = lastOf(own)
    if (own.size > 0) this.#many.set(source, own)
    return waiting
  }

  #begin({ socket, since, begin }: Waiting): void {
    if (socket.destroyed) return
    if (performance.now() - since > longestWaitMilliseconds) socket.destroy()
    else begin()
  }
}

function firstOf(queue: Set<Waiting>): Waiting | undefined {
  const [first] = queue
  if (first) queue.delete(first)
  return first
}

/** Walks the whole queue: no source has more than some hundred that wait. */
function lastOf(queue: Set<Waiting>): Waiting | undefined {
  let last: Waiting | undefined
  for (const waiting of queue) last = waiting
  if (last) queue.delete(last)
  return last
}
