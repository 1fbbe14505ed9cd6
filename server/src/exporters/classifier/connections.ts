// What the classifier knows of connections: their first packets until it is clear what they are, then only that. Everything is
// bounded: anyone who opens many connections makes the oldest be forgotten, not the memory grow.

import { copiedPackets } from '../../core/plan/classifier.ts'
import type { Detected } from './detect.ts'
import type { Packet } from './packet.ts'

const limits = { waiting: 20_000, waitingBytes: 48 * 1024 * 1024, roundBytes: 16 * 1024 * 1024, known: 30_000 }
/** Rounds with new packets after which more of them will not make it clear. */
const mostRounds = 4
/** Packets after which an answer is final: handshakes are over by then. */
const settledPackets = 10

interface Waiting {
  packets: Buffer[]
  rounds: number
  /** It has packets that no round has had. */
  isNew: boolean
}

export class Connections {
  readonly #waiting = new Map<string, Waiting>()
  readonly #known = new Map<string, Detected>()
  readonly #limits: typeof limits
  #bytes = 0

  constructor(bounds: Partial<typeof limits> = {}) {
    this.#limits = { ...limits, ...bounds }
  }

  add({ key, isFirst, hasContent, bytes }: Packet): void {
    // The same ends have met again.
    if (isFirst) this.#forget(key)
    if (this.#known.has(key) && !this.#waiting.has(key)) return
    const one = this.#waiting.get(key) ?? { packets: [], rounds: 0, isNew: false }
    if (one.packets.length >= copiedPackets) return
    one.packets.push(bytes)
    // Handshakes alone say nothing.
    one.isNew ||= hasContent
    this.#bytes += bytes.length
    this.#waiting.set(key, one)
    while (this.#waiting.size > this.#limits.waiting || this.#bytes > this.#limits.waitingBytes) {
      const [oldest] = this.#waiting.keys()
      if (oldest === undefined) return
      this.#drop(oldest)
    }
  }

  /** The connections to look at now, oldest first; the rest comes with the next round. */
  round(): ReadonlyMap<string, readonly Buffer[]> {
    const chosen = new Map<string, readonly Buffer[]>()
    let bytes = 0
    for (const [key, one] of this.#waiting) {
      if (!one.isNew) continue
      bytes += sizeOf(one)
      if (bytes > this.#limits.roundBytes && chosen.size > 0) break
      one.isNew = false
      one.rounds++
      chosen.set(key, [...one.packets])
    }
    return chosen
  }

  /** Takes the answers of a round; those that are new or other than before. */
  settle(
    round: ReadonlyMap<string, readonly Buffer[]>,
    found: ReadonlyMap<string, Detected>,
  ): (readonly [key: string, detected: Detected])[] {
    const fresh: (readonly [string, Detected])[] = []
    for (const [key, packets] of round) {
      const one = this.#waiting.get(key)
      // It was forgotten in the meantime, or the same ends have met again.
      if (one === undefined || one.packets[0] !== packets[0]) continue
      const detected = found.get(key)
      const before = this.#known.get(key)
      if (detected !== undefined && (before?.name !== detected.name || before.server !== detected.server)) {
        this.#known.set(key, detected)
        fresh.push([key, detected])
      }
      const isSettled = detected !== undefined && packets.length >= settledPackets
      if (isSettled || one.rounds >= mostRounds || packets.length >= copiedPackets) this.#drop(key)
    }
    for (const key of this.#known.keys()) {
      if (this.#known.size <= this.#limits.known) break
      this.#known.delete(key)
    }
    return fresh
  }

  /** Connections that are over need no place. */
  keep(isOpen: (key: string) => boolean): void {
    for (const key of this.#known.keys()) if (!isOpen(key)) this.#known.delete(key)
    for (const key of this.#waiting.keys()) if (!isOpen(key)) this.#drop(key)
  }

  get known(): ReadonlyMap<string, Detected> {
    return this.#known
  }

  get waiting(): number {
    return this.#waiting.size
  }

  #forget(key: string): void {
    this.#drop(key)
    this.#known.delete(key)
  }

  #drop(key: string): void {
    const one = this.#waiting.get(key)
    if (one === undefined) return
    this.#bytes -= sizeOf(one)
    this.#waiting.delete(key)
  }
}

const sizeOf = ({ packets }: Waiting): number => packets.reduce((sum, { length }) => sum + length, 0)
