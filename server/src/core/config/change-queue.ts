// The changes that wait for their turn. Authors take turns, so that one who sends many changes holds each other author up by
// one of them; the changes of one author keep their order.

import type { Waiting } from './prepared.ts'

export class ChangeQueue {
  readonly #first: Waiting[] = []
  /** In the order of the turns. */
  readonly #byAuthor = new Map<string, Waiting[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(waiting: Waiting): void {
    this.#size++
    const { login } = waiting.request.actor
    const own = this.#byAuthor.get(login)
    if (own) own.push(waiting)
    else this.#byAuthor.set(login, [waiting])
  }

  /** They had their turn and must have it again before any other. */
  addFirst(...group: readonly { readonly waiting: Waiting }[]): void {
    this.#size += group.length
    this.#first.unshift(...group.map(({ waiting }) => waiting))
  }

  /** They were taken together with changes of these authors, which were made: theirs come next, in their order. */
  giveBack(group: readonly { readonly waiting: Waiting }[], served: ReadonlySet<string>): void {
    this.#size += group.length
    const lists = new Map<string, Waiting[]>()
    for (const { waiting } of group) {
      const { login } = waiting.request.actor
      lists.set(login, [...(lists.get(login) ?? []), waiting])
    }
    for (const [login, own] of this.#byAuthor) lists.set(login, [...(lists.get(login) ?? []), ...own])
    const inTurn = [...lists].sort(([a], [b]) => Number(served.has(a)) - Number(served.has(b)))
    this.#byAuthor.clear()
    for (const [login, own] of inTurn) this.#byAuthor.set(login, own)
  }

  next(): Waiting | undefined {
    if (this.#size === 0) return undefined
    this.#size--
    const first = this.#first.shift()
    if (first) return first
    for (const [login, own] of this.#byAuthor) {
      const waiting = own.shift()
      this.#byAuthor.delete(login)
      if (own.length > 0) this.#byAuthor.set(login, own)
      return waiting
    }
    return undefined
  }

  rejectAll(error: unknown): void {
    for (let waiting = this.next(); waiting; waiting = this.next()) waiting.reject(error)
  }
}
