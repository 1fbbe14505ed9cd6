// Who may use the antivirus program, which works on few files at once: no client has more than its share of them, and clients
// that wait take turns, so that one with many files waits for itself.

export interface SlotLimits {
  readonly all: number
  readonly ofClient: number
}

type Begin = (release: () => void) => void

export class ScanSlots {
  readonly #limits: SlotLimits
  readonly #taken = new Map<string, number>()
  /** The client that had its turn last is the last of them. */
  readonly #waiting = new Map<string, Set<Begin>>()
  #all = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** What gives the slot back; null when none was free in this time. */
  take(client: string, waitMs: number): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      const begin: Begin = (release) => {
        clearTimeout(timer)
        resolve(release)
      }
      const timer = setTimeout(() => {
        this.#forget(client, begin)
        resolve(null)
      }, waitMs)
      const queue = this.#waiting.get(client) ?? new Set()
      this.#waiting.set(client, queue.add(begin))
      this.#next()
    })
  }

  #next(): void {
    for (const [client, queue] of this.#waiting) {
      if (this.#all >= this.#limits.all) return
      const [begin] = queue
      if (begin === undefined || this.#of(client) >= this.#limits.ofClient) continue
      this.#waiting.delete(client)
      queue.delete(begin)
      if (queue.size > 0) this.#waiting.set(client, queue)
      this.#add(client, 1)
      begin(this.#releaseOnce(client))
    }
  }

  #releaseOnce(client: string): () => void {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#add(client, -1)
      this.#next()
    }
  }

  #of(client: string): number {
    return this.#taken.get(client) ?? 0
  }

  #add(client: string, count: 1 | -1): void {
    this.#all += count
    const now = this.#of(client) + count
    if (now === 0) this.#taken.delete(client)
    else this.#taken.set(client, now)
  }

  #forget(client: string, begin: Begin): void {
    const queue = this.#waiting.get(client)
    queue?.delete(begin)
    if (queue?.size === 0) this.#waiting.delete(client)
  }
}
