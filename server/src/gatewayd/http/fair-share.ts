// How much one source may ask without a session. The bucket is deep, so that an honest script that probes every
// endpoint is never refused, and refills slowly, so that a flood is.

import { type Source, sourceOf } from '../../shared/net/source.ts'

const refillPerSecond = 50
const depth = 3_000
const forgetAfterSeconds = 120

interface Bucket {
  tokens: number
  at: number
}

export class FairShare {
  readonly #buckets = new Map<Source, Bucket>()
  readonly #elapsed: () => number
  #sweptAt = 0

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Takes one request; false when the source of this address has used up its share. */
  take(address: string): boolean {
    const now = this.#elapsed()
    this.#sweep(now)
    const source = sourceOf(address)
    const bucket = this.#buckets.get(source) ?? { tokens: depth, at: now }
    bucket.tokens = Math.min(depth, bucket.tokens + (now - bucket.at) * refillPerSecond)
    bucket.at = now
    this.#buckets.set(source, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens--
    return true
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < forgetAfterSeconds) return
    this.#sweptAt = now
    for (const [source, bucket] of this.#buckets) {
      if (now - bucket.at > forgetAfterSeconds) this.#buckets.delete(source)
    }
  }
}
