// How many requests one turn of the event loop answers: as many as fit into its time. The others wait for the next turn, and
// their owners take turns, so that no client waits for all the requests of another.

/** Long enough for thousands of small requests a second, short enough that many together do not hold the loop. */
const turnMs = 10

export class Turns {
  readonly #limitMs: number
  /** In the order in which owners take turns; the requests of one owner in the order in which they came. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** When the first request of this turn began; null before it. */
  #began: number | null = null

  constructor(limitMs = turnMs) {
    this.#limitMs = limitMs
  }

  /** Whether a request may begin now, without waiting in take(). */
  isFree(): boolean {
    const now = performance.now()
    if (this.#began === null) {
      this.#began = now
      setImmediate(() => this.#next())
    }
    return this.#waiting.size === 0 && now - this.#began < this.#limitMs
  }

  /** Calls `begin` now, or in a later turn. */
  take(owner: string, begin: () => void): void {
    if (this.isFree()) {
      begin()
      return
    }
    const own = this.#waiting.get(owner)
    if (own) own.push(begin)
    else this.#waiting.set(owner, [begin])
  }

  #next(): void {
    this.#began = null
    if (this.#waiting.size === 0) return
    const began = performance.now()
    this.#began = began
    setImmediate(() => this.#next())
    do this.#first()?.()
    while (this.#waiting.size > 0 && performance.now() - began < this.#limitMs)
  }

  #first(): (() => void) | undefined {
    const [first] = this.#waiting
    if (!first) return undefined
    const [owner, requests] = first
    const begin = requests.shift()
    // To the end of the turns, or out of them.
    this.#waiting.delete(owner)
    if (requests.length > 0) this.#waiting.set(owner, requests)
    return begin
  }
}
