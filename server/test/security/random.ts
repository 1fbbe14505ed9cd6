// Chance that can be repeated: the same seed gives the same run. A failing test prints the seed; PORTCULLIS_SEED takes it.

export const isNightly = process.env.PORTCULLIS_NIGHTLY !== undefined

export const seed = Number(process.env.PORTCULLIS_SEED ?? 20_260_101)

export class Random {
  #state: number

  constructor(start: number) {
    this.#state = start >>> 0
  }

  /** mulberry32: small, and good enough to pick cases with. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new Error('nothing to pick from')
    return value
  }
}
