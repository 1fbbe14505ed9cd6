// Where small tables live while the disk takes nothing at all, not even from the reserve: in memory, with everything that
// was stored, and back on the disk as soon as it takes them. Signing in and out must not depend on the disk.

import { isUnavailable } from '../contract/error.ts'
import { Database, type Statement } from './database.ts'

/** What the owners of such tables need; the same whether the tables are on the disk or in memory. */
export type Tables = Pick<Database, 'prepare' | 'transact' | 'onRolledBack'>

/** How soon to try at the earliest; after an attempt that took long, so much later that most of the time is left for others. */
const leastPauseMilliseconds = 100
const pausePerAttempt = 20

export class Shelter implements Tables {
  readonly #disk: Database
  readonly #names: readonly string[]
  readonly #listeners: (() => void)[] = []
  #memory: Database | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(disk: Database, names: readonly string[]) {
    this.#disk = disk
    this.#names = names
    disk.onRolledBack(() => {
      // What is in memory is not undone with a change that the disk did not take.
      if (!this.#memory) this.#notify()
    })
  }

  get isInUse(): boolean {
    return this.#memory !== null
  }

  prepare<Row>(sql: string): Statement<Row> {
    return (this.#memory ?? this.#disk).prepare<Row>(sql)
  }

  /** The listener is called when what was read from the tables may no longer hold. */
  onRolledBack(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** On the disk; where that takes nothing, in memory, from then on until it does. */
  transact<T>(work: () => T): T {
    if (this.#disk.isInTransaction || this.#memory?.isInTransaction) return work()
    // Whether the disk takes them again is asked now and then: each time, all tables are written.
    if (this.#memory) return this.#memory.transact(work)
    try {
      return this.#disk.transact(work)
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
    return this.#moveOut().transact(work)
  }

  #moveOut(): Database {
    const memory = new Database(':memory:')
    memory.copyTables(this.#disk, this.#names)
    memory.onRolledBack(() => this.#notify())
    this.#memory = memory
    this.#returnLater(leastPauseMilliseconds)
    return memory
  }

  #returnLater(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      const began = performance.now()
      if (this.tryReturn()) return
      this.#returnLater(Math.max(leastPauseMilliseconds, pausePerAttempt * (performance.now() - began)))
    }, milliseconds).unref()
  }

  /** Back to the disk; false while it takes nothing. */
  tryReturn(): boolean {
    const memory = this.#memory
    if (!memory) return true
    try {
      this.#disk.transact(() => this.#disk.copyTables(memory, this.#names))
    } catch {
      return false
    }
    this.close()
    return true
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#memory?.close()
    this.#memory = null
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
