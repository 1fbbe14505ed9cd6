// A few questions of each owner run at once, a few more wait, and further ones are refused: one administrator never holds
// others up (docs/behaviour/security.md 35).

import { GatewayError } from '../../core/contract/error.ts'
import type { Asker } from '../../domain/logs/store.ts'
import { say } from '../../shared/said.ts'

const atOncePerOwner = 4
const waitingPerOwner = 12

export class OwnerPlaces {
  readonly #owners = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  /** Resolves to what gives the place back; it is given back as well when the asker leaves. */
  async enter({ owner, signal }: Asker): Promise<() => void> {
    const own = this.#owners.get(owner) ?? { running: 0, waiting: [] }
    this.#owners.set(owner, own)
    if (own.running >= atOncePerOwner) {
      if (own.waiting.length >= waitingPerOwner) throw tooMany()
      // The place is handed over, so `running` stays as it is.
      await new Promise<void>((resolve) => own.waiting.push(resolve))
    } else own.running++
    let hasLeft = false
    const leave = (): void => {
      if (hasLeft) return
      hasLeft = true
      signal.removeEventListener('abort', leave)
      const next = own.waiting.shift()
      if (next) next()
      else if (--own.running === 0) this.#owners.delete(owner)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return leave
  }
}

const tooMany = (): GatewayError =>
  new GatewayError('unavailable', say`Too many of your log queries are running. Try again in a moment.`, {
    retryAfterSeconds: 2,
  })
