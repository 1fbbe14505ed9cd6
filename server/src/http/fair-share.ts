// How much one address may ask without a session. The bucket is deep, so that an honest script that probes every
// endpoint is never refused, and refills slowly, so that a flood is.

const refillPerSecond = 50
const depth = 3_000
const forgetAfterSeconds = 120

interface Bucket {
  tokens: number
  at: number
}

export class FairShare {
  readonly #buckets = new Map<string, Bucket>()
  readonly #elapsed: () => number
  #sweptAt = 0

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Takes one request; false when the address has used up its share. */
  take(address: string): boolean {
    const now = this.#elapsed()
    this.#sweep(now)
    const bucket = this.#buckets.get(address) ?? { tokens: depth, at: now }
    bucket.tokens = Math.min(depth, bucket.tokens + (now - bucket.at) * refillPerSecond)
    bucket.at = now
    this.#buckets.set(address, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens--
    return true
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < forgetAfterSeconds) return
    this.#sweptAt = now
    for (const [address, bucket] of this.#buckets) {
      if (now - bucket.at > forgetAfterSeconds) this.#buckets.delete(address)
    }
  }
}
