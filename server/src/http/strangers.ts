// Refusals of those who are not signed in. The first of a minute are told one by one; what comes after that from the
// same address becomes one record with their number, so that a stranger cannot fill the disk with evidence of himself.

import type { AuditEntry } from '../runtime/logs/audit.ts'

const toldEach = 60
const periodSeconds = 60
/** So many addresses at once are counted apart; a flood from more shares one count. */
const maxAddresses = 10_000
const others = '(other addresses)'

interface Count {
  readonly since: number
  told: number
  untold: number
}

export class StrangerLog {
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
    const address = this.#counts.has(entry.address) || this.#counts.size < maxAddresses ? entry.address : others
    const count = this.#counts.get(address) ?? { since: this.#elapsed(), told: 0, untold: 0 }
    this.#counts.set(address, count)
    this.#sweeper ??= setInterval(() => this.sweep(), periodSeconds * 1000).unref()
    if (count.told < toldEach) {
      count.told++
      this.#note(entry)
    } else count.untold++
  }

  /** Tells the numbers of periods that are over. */
  sweep(): void {
    this.#tell((count) => this.#elapsed() - count.since >= periodSeconds)
  }

  /** Tells all numbers: nobody counts on. */
  close(): void {
    this.#tell(() => true)
  }

  #tell(isOver: (count: Count) => boolean): void {
    for (const [address, count] of this.#counts) {
      if (!isOver(count)) continue
      this.#counts.delete(address)
      if (count.untold > 0) this.#note(summary(address, count.untold))
    }
    if (this.#counts.size > 0 || !this.#sweeper) return
    clearInterval(this.#sweeper)
    this.#sweeper = null
  }
}

const summary = (address: string, count: number): AuditEntry => ({
  event: 'refused',
  who: '',
  address,
  what: '(several)',
  result: 'unauthenticated',
  message: `${count} more attempts without a session within ${periodSeconds} s were refused.`,
  request_id: '',
  revision: null,
  changes: [],
})
