// Sign-ins that wait for their second factor. A ticket has no rights: it only allows to send a code. Kept in memory: a restart
// ends them, and the user signs in again.

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../../shared/time/clock.ts'

export type Wait =
  | { readonly kind: 'totp' }
  /** The user must take this secret over first; it is stored with the first right code. */
  | { readonly kind: 'enrolment'; readonly secret: string }
  /** A code that was sent to the user. */
  | { readonly kind: 'sent'; readonly factor: 'smssvc' | 'multifactor'; readonly codeHash: Buffer }

export interface Ticket {
  /** Shown in lists; opens nothing. */
  readonly handle: string
  readonly userId: string
  /** Identifies the password that was right. */
  readonly passwordMark: string
  readonly address: string
  readonly wait: Wait
  /** Unix milliseconds. */
  readonly startedAt: number
}

interface Entry extends Ticket {
  readonly key: string
  readonly endsAt: number
  triesLeft: number
  isInUse: boolean
}

/** A code that was sent is valid for 5 minutes; a sign-in waits for the app of the user for 10 minutes. */
export const sentCodeSeconds = 5 * 60
const waitSeconds = 10 * 60
const tries = 5
const perUser = 5
const most = 10_000

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

export class Tickets {
  readonly #clock: Clock
  /** By the hash of the ticket, oldest first. */
  readonly #entries = new Map<string, Entry>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The ticket for the client. */
  open(sign: Pick<Ticket, 'userId' | 'passwordMark' | 'address' | 'wait'>): string {
    this.#endExpired()
    const ticket = randomBytes(32).toString('base64url')
    const key = sha256(ticket).toString('base64')
    const seconds = sign.wait.kind === 'sent' ? sentCodeSeconds : waitSeconds
    const own = [...this.#entries.values()].filter(({ userId }) => userId === sign.userId)
    for (const { key: old } of own.slice(0, Math.max(0, own.length - perUser + 1))) this.#entries.delete(old)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= most && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, {
      ...sign,
      key,
      handle: randomUUID(),
      startedAt: this.#clock.now().getTime(),
      endsAt: this.#clock.elapsed() + seconds,
      triesLeft: tries,
      isInUse: false,
    })
    return ticket
  }

  /**
   * Takes one of the tries of a ticket; null when it is unknown, too old, used up or being used. `isRight` decides about the
   * code without waiting, so that of codes sent together no more are judged than there are tries.
   */
  try(
    ticket: string,
    isRight: (wait: Wait, sign: Ticket) => boolean,
  ): { readonly sign: Ticket; isRight: boolean } | null {
    this.#endExpired()
    const entry = this.#entries.get(sha256(ticket).toString('base64'))
    if (!entry || entry.isInUse) return null
    entry.triesLeft -= 1
    const isDone = isRight(entry.wait, entry)
    if (isDone) entry.isInUse = true
    else if (entry.triesLeft <= 0) this.#entries.delete(entry.key)
    return { sign: entry, isRight: isDone }
  }

  /** A right code led to nothing, for a reason that may pass: the ticket can be used again while it is valid. */
  giveBack(sign: Ticket): void {
    const entry = this.#find(sign.handle)
    if (!entry) return
    entry.isInUse = false
    if (entry.triesLeft <= 0) this.#entries.delete(entry.key)
  }

  list(): readonly Ticket[] {
    this.#endExpired()
    return [...this.#entries.values()]
  }

  /** True when there was one. */
  end(handle: string): boolean {
    const entry = this.#find(handle)
    return entry !== undefined && this.#entries.delete(entry.key)
  }

  /** Ends what waits for this user. */
  endAllOf(userId: string): void {
    for (const entry of this.#entries.values()) if (entry.userId === userId) this.#entries.delete(entry.key)
  }

  /** Is there anything that a code could be tried for? */
  isWaiting(ticket: string): boolean {
    const entry = this.#entries.get(sha256(ticket).toString('base64'))
    return entry !== undefined && entry.endsAt > this.#clock.elapsed()
  }

  isOpen(sign: Ticket): boolean {
    return this.#find(sign.handle) !== undefined
  }

  #find(handle: string): Entry | undefined {
    return this.#entries.values().find((entry) => entry.handle === handle)
  }

  #endExpired(): void {
    const now = this.#clock.elapsed()
    for (const { key, endsAt } of this.#entries.values()) if (endsAt <= now) this.#entries.delete(key)
  }
}
