// Asks the kernel over one netlink socket, one question at a time: generation, presence of a table, chains, counts, and
// changes of elements.

import type { Counts } from '../../shared/netlink.ts'
import {
  addRuleCount,
  batch,
  flags,
  type MessageName,
  message,
  parseChain,
  parseGeneration,
  parseReplies,
  type Reply,
  ruleFilter,
  tableFilter,
  tableOf,
} from '../../shared/netlink.ts'
import type { ElementChange } from './address-set.ts'
import { elementMessages } from './elements.ts'
import type { KeyPart, LiveChanged, LiveSetChange, PackedElements } from './live-elements.ts'
import { createRecords, liveMessages, setFilter } from './live-messages.ts'

export interface Socket {
  readonly send: (bytes: Buffer) => void
  readonly receive: () => Buffer
}

const noEntry = -2
const restart = -85
const noMessage = 90
const noRoom = -23
/** A dump during which the ruleset changed may show neither state. */
const attempts = 20

export class Conversation {
  readonly #socket: Socket
  #sequence = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  generation(): number {
    const body = this.#ask('getGeneration', 0)
    if (body === null) throw new Error('The kernel has no number for its ruleset.')
    return parseGeneration(body)
  }

  isPresent(table: string): boolean {
    const { family, name } = tableOf(table)
    return this.#ask('getTable', family, tableFilter(name)) !== null
  }

  chains(table: string): string[] {
    return settled(() => {
      const found: string[] = []
      const isSound = this.#dump('getChain', tableOf(table).family, [], (body) => {
        const chain = parseChain(body, table)
        if (chain !== null) found.push(chain)
      })
      return { value: found.toSorted(), isSound }
    })
  }

  counts(table: string, names: readonly string[] | null): Counts | null {
    const { family, name } = tableOf(table)
    if (!this.isPresent(table)) return null
    return settled(() => {
      const value: Counts = new Map()
      const read = (chain: string | null): boolean =>
        this.#dump('getRule', family, ruleFilter(name, chain), (body) => addRuleCount(value, body))
      return { value, isSound: (names ?? [null]).map(read).every((isOne) => isOne) }
    })
  }

  /** `refused`: the kernel did not take it, and why is for nft to find out. */
  changeElements(changes: readonly ElementChange[], since: number | null): 'changed' | 'stale' | 'refused' {
    const first = this.#sequence + 1
    const inner = elementMessages(changes, first + 1)
    if (inner === null) return 'refused'
    if (inner.length === 0) return 'changed'
    const errors = this.#commit(since, first, inner)
    if (errors === 'stale') return errors
    return errors !== 'long' && errors.size === 0 ? 'changed' : 'refused'
  }

  /** Sets that do not exist are left out, and the others changed. Null: the kernel refused it for another reason. */
  changeLive(table: string, changes: readonly LiveSetChange[], since: number | null): LiveChanged | null {
    const missing = new Set<string>()
    for (;;) {
      const left = changes.filter(({ set }) => !missing.has(set))
      const first = this.#sequence + 1
      const inner = liveMessages(table, left, first + 1)
      if (inner.length === 0) return { outcome: 'nothing', missing: [...missing], full: [] }
      const errors = this.#commit(
        since,
        first,
        inner.map(({ bytes }) => bytes),
      )
      if (errors === 'long') return null
      if (errors === 'stale') return { outcome: errors, missing: [], full: [] }
      if (errors.size === 0) return { outcome: 'changed', missing: [...missing], full: [] }
      const setsOf = (wanted: number): string[] => [
        ...new Set(inner.filter(({ isSafe }, at) => isSafe && errors.get(at) === wanted).map(({ set }) => set)),
      ]
      const [gone, full] = [setsOf(noEntry), setsOf(noRoom)]
      if (gone.length === 0) return full.length > 0 ? { outcome: 'full', missing: [...missing], full } : null
      for (const set of gone) missing.add(set)
    }
  }

  /** Null when there is no such set. */
  readLive(table: string, set: string, parts: readonly KeyPart[]): PackedElements | null {
    const { family, name } = tableOf(table)
    return settled(() => {
      const records = createRecords(parts)
      let [isSound, isThere] = [true, true]
      this.#sequence += 1
      this.#socket.send(message('getSetElements', family, flags.dump, this.#sequence, ...setFilter(name, set)))
      this.#readReplies(this.#sequence, ({ kind, error, isInterrupted, body }) => {
        if (isInterrupted) isSound = false
        if (kind === 'data') records.add(body)
        else if (error === noEntry) isThere = false
        else if (error !== 0) throw new Error(describe(error))
        return kind !== 'data'
      })
      return { value: isThere ? { parts, bytes: records.bytes() } : null, isSound }
    })
  }

  /** Gives every reply to the request to `take` until it returns true. Replies to earlier requests are left out. */
  #readReplies(from: number, take: (reply: Reply) => boolean): void {
    for (;;) for (const reply of parseReplies(this.#socket.receive())) if (reply.sequence >= from && take(reply)) return
  }

  /** The body of the one reply; null when there is no such thing. */
  #ask(name: MessageName, family: number, ...parts: readonly Buffer[]): Buffer | null {
    this.#sequence += 1
    this.#socket.send(message(name, family, 0, this.#sequence, ...parts))
    let found: Buffer | null = null
    this.#readReplies(this.#sequence, ({ kind, error, body }) => {
      if (kind === 'error' && error !== 0 && error !== noEntry) throw new Error(describe(error))
      found = kind === 'data' ? Buffer.from(body) : null
      return true
    })
    return found
  }

  /** False when the ruleset changed in the meantime. */
  #dump(name: MessageName, family: number, parts: readonly Buffer[], take: (body: Buffer) => void): boolean {
    this.#sequence += 1
    this.#socket.send(message(name, family, flags.dump, this.#sequence, ...parts))
    let isSound = true
    this.#readReplies(this.#sequence, ({ kind, error, isInterrupted, body }) => {
      if (isInterrupted) isSound = false
      if (kind === 'data') take(body)
      else if (error !== 0 && error !== noEntry) throw new Error(describe(error))
      return kind !== 'data'
    })
    return isSound
  }

  /** One transaction: the errors of its messages, by their position. `long`: there is no room for so many at once. */
  #commit(since: number | null, first: number, inner: readonly Buffer[]) {
    const last = first + inner.length
    this.#sequence = last + 1
    try {
      this.#socket.send(batch(since, first, inner, this.#sequence))
    } catch (fault) {
      if ((fault as { errno?: number }).errno === -noMessage) return 'long'
      throw fault
    }
    const errors = new Map<number, number>()
    let isStale = false
    this.#readReplies(first, (reply) => {
      if (reply.sequence === first && reply.error === restart) isStale = true
      else if (reply.error !== 0) errors.set(reply.sequence - first - 1, reply.error)
      // A refusal of the batch as a whole is its only answer, or the first one.
      return reply.sequence === last || reply.sequence === first
    })
    return isStale ? 'stale' : errors
  }
}

/** Again as long as the ruleset changes during a dump; the last result is taken as it is. */
function settled<T>(read: () => { readonly value: T; readonly isSound: boolean }): T {
  for (let attempt = 1; ; attempt += 1) {
    const { value, isSound } = read()
    if (isSound || attempt === attempts) return value
  }
}

const describe = (error: number): string =>
  error === -1 ? 'Operation not permitted' : `The kernel refused a question about its ruleset (error ${-error}).`
