// Who works next: one piece of work in each turn of the event loop, so that questions of the proxy are answered in between, and
// clients one after the other, so that one with many pages waits for itself.

export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>()
  #isDue = false

  /** Settles when it is the turn of this client; the work is done before anything else is waited for. */
  take(client: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const queue = this.#waiting.get(client)
    if (queue) queue.push(resolve)
    else this.#waiting.set(client, [resolve])
    this.#schedule()
    return promise
  }

  #schedule(): void {
    if (this.#isDue || this.#waiting.size === 0) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#next()
      this.#schedule()
    })
  }

  #next(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    const [client, queue] = first
    const resolve = queue.shift()
    // Behind all others.
    this.#waiting.delete(client)
    if (queue.length > 0) this.#waiting.set(client, queue)
    resolve?.()
  }
}
