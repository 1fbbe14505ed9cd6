// How many of something may happen in a time, no matter who asks: sign-ins of the portal all together, messages to one phone.

/** Fills up steadily to `most`; each use takes one. */
export class Allowance {
  readonly #elapsed: () => number
  readonly #most: number
  readonly #perSecond: number
  #left: number
  #at: number

  constructor(elapsed: () => number, most: number, perSecond: number) {
    this.#elapsed = elapsed
    this.#most = most
    this.#perSecond = perSecond
    this.#left = most
    this.#at = elapsed()
  }

  take(): boolean {
    const now = this.#elapsed()
    this.#left = Math.min(this.#most, this.#left + Math.max(0, now - this.#at) * this.#perSecond)
    this.#at = now
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }

  get isFull(): boolean {
    return this.#left + Math.max(0, this.#elapsed() - this.#at) * this.#perSecond >= this.#most
  }
}

/** One allowance for each key. Those that are full again are forgotten. */
export class Allowances {
  readonly #create: () => Allowance
  readonly #byKey = new Map<string, Allowance>()

  constructor(elapsed: () => number, most: number, perSecond: number) {
    this.#create = () => new Allowance(elapsed, most, perSecond)
  }

  take(key: string): boolean {
    for (const [other, allowance] of this.#byKey) {
      if (!allowance.isFull) break
      this.#byKey.delete(other)
    }
    const own = this.#byKey.get(key) ?? this.#create()
    // Deleted first, so that the one used longest ago is the first of the map.
    this.#byKey.delete(key)
    this.#byKey.set(key, own)
    return own.take()
  }
}
