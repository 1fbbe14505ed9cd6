// Refused requests. The first of each minute get a record each; further ones of the same administrator, or from the same
// source without a session, become one record with their count, so that no client can fill the disk.

import { sourceOf } from '../../shared/net/source.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'

const recordedEach = 60
const periodSeconds = 60
/** Up to this many clients are counted separately; further ones share one count. */
const maxClients = 10_000
const others: Client = { who: '', address: '(other addresses)' }

type Client = Pick<AuditEntry, 'who' | 'address'>

interface Count {
  readonly client: Client
  readonly since: number
  recorded: number
  unrecorded: number
}

export class RefusalLog {
  readonly #note: (entry: AuditEntry) => void
  readonly #elapsed: () => number
  readonly #counts = new Map<string, Count>()
  #sweeper: NodeJS.Timeout | null = null

  constructor(note: (entry: AuditEntry) => void, elapsed: () => number) {
    this.#note = note
    this.#elapsed = elapsed
  }

  refused(entry: AuditEntry): void {
    this.sweep()
    const count = this.#countOf(entry)
    this.#sweeper ??= setInterval(() => this.sweep(), periodSeconds * 1000).unref()
    if (count.recorded < recordedEach) {
      count.recorded++
      this.#note(entry)
    } else count.unrecorded++
  }

  /** An administrator is one client wherever they come from. */
  #countOf({ who, address }: AuditEntry): Count {
    const own = { who, address: who === '' ? sourceOf(address) : address }
    const isSeparate = who !== '' || this.#counts.has(keyOf(own)) || this.#counts.size < maxClients
    const client = isSeparate ? own : others
    const key = keyOf(client)
    const count = this.#counts.get(key) ?? { client, since: this.#elapsed(), recorded: 0, unrecorded: 0 }
    this.#counts.set(key, count)
    return count
  }

  /** Records the counts of periods that have ended. */
  sweep(): void {
    const now = this.#elapsed()
    this.#summarise((count) => now - count.since >= periodSeconds)
  }

  /** Records all counts. */
  close(): void {
    this.#summarise(() => true)
  }

  /** Those that began first come first: the others need no look, which each refusal of a flood would cost. */
  #summarise(isOver: (count: Count) => boolean): void {
    for (const [key, count] of this.#counts) {
      if (!isOver(count)) break
      this.#counts.delete(key)
      if (count.unrecorded > 0) this.#note(summary(count.client, count.unrecorded))
    }
    if (this.#counts.size > 0 || !this.#sweeper) return
    clearInterval(this.#sweeper)
    this.#sweeper = null
  }
}

const keyOf = ({ who, address }: Client): string => (who === '' ? `from ${address}` : `of ${who}`)

const summary = ({ who, address }: Client, count: number): AuditEntry => ({
  event: 'refused',
  who,
  address,
  what: '(several)',
  result: who === '' ? 'unauthenticated' : 'too_many_requests',
  message:
    who === ''
      ? `${count} more requests without a session were refused within ${periodSeconds} s.`
      : `${count} more requests of this administrator were refused within ${periodSeconds} s.`,
  request_id: '',
  revision: null,
  changes: [],
})
