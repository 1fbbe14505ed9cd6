// Has applyd sign how far the audit trail goes: what is there at the start before anything new, what was added shortly after
// it was written, and the end. Nothing waits for it; a burst of records is one checkpoint.

import { GatewayError } from '../contract/error.ts'
import type { Applier } from '../plan/artifacts.ts'
import type { AuditTrail } from './audit.ts'

const delayMilliseconds = 250
const retryMilliseconds = 1_000

export interface CheckpointerParts {
  readonly audit: Pick<AuditTrail, 'head' | 'loaded' | 'onWritten'>
  readonly keep: Applier['checkpoint']
  /** The trail that was found at the start is not the one that was signed. */
  readonly onMismatch: (reason: string) => void
  /** Called once for each failure that begins. */
  readonly onFault: (error: unknown) => void
}

export class Checkpointer {
  readonly #parts: CheckpointerParts
  #first: { readonly sequence: number; readonly hash: string } | null
  #kept = 0
  #isFailing = false
  #isMismatched = false
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> = Promise.resolve()

  constructor(parts: CheckpointerParts) {
    this.#parts = parts
    const { loaded } = parts.audit
    this.#first = loaded.sequence > 0 ? loaded : null
    parts.audit.onWritten = () => this.#sendIn(delayMilliseconds)
    this.#sendIn(0)
  }

  /** With what is there now; for an orderly end, and before records are removed. */
  now(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#sending = this.#sending.then(() => this.#send())
    return this.#sending
  }

  #sendIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => void this.now(), milliseconds).unref()
  }

  async #send(): Promise<void> {
    const { audit, keep, onFault } = this.#parts
    try {
      if (this.#first) await this.#sendFirst(this.#first)
      const { sequence, hash } = audit.head
      if (sequence > this.#kept) await keep(sequence, hash, false)
      this.#kept = sequence
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing && !this.#isMismatched) onFault(error)
      this.#isFailing = true
      // Numbers that were signed before are refused until there are enough new records.
      if (!this.#isMismatched || isUnavailable(error)) this.#sendIn(retryMilliseconds)
    }
  }

  async #sendFirst({ sequence, hash }: { readonly sequence: number; readonly hash: string }): Promise<void> {
    try {
      await this.#parts.keep(sequence, hash, true)
      this.#kept = sequence
    } catch (error) {
      // Everything else, such as a full disk, is tried again.
      if (!refusalForm.test((error as Error).message)) throw error
      this.#isMismatched = true
      this.#parts.onMismatch((error as Error).message)
    }
    this.#first = null
  }
}

/** applyd's words (applyd/checkpoints.ts); a test of the whole gateway relies on them. */
const refusalForm = /^Checkpoint \d+ does not follow checkpoint \d+\.$/

const isUnavailable = (error: unknown): boolean => error instanceof GatewayError && error.code === 'unavailable'
