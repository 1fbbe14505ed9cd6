// The pool behind Services.reader: two workers for all expensive reads. Clients take turns, each has one at a time and only
// so many waiting, so that one that asks without end delays itself.

import { WorkerPool } from './pool.ts'
import { SharedRuns } from './shared-runs.ts'

interface Asking {
  readonly identity: { readonly adminId: string } | null
  readonly signal: AbortSignal
}

/** Every task answers in bytes. */
type ByteTasks = Readonly<Record<string, (input: unknown) => Uint8Array>>

const maxWaitingPerOwner = 16
/** The findings of ten thousand rules are four megabytes. */
const maxKeptBytes = 8 * 1024 * 1024

export class ReadingPool {
  readonly #pool: WorkerPool<ByteTasks>
  readonly #once = new Map<string, SharedRuns<Uint8Array>>()

  constructor(entry: URL, data: unknown) {
    this.#pool = new WorkerPool({ entry, data, atOnce: 2, maxWaitingPerOwner })
  }

  run(task: string, input: unknown, { identity, signal }: Asking): Promise<Uint8Array> {
    return this.#pool.run(task, input, { owner: identity?.adminId ?? '', signal })
  }

  runOnce(task: string, key: string, input: unknown, { identity, signal }: Asking): Promise<Uint8Array> {
    const runs = this.#once.get(task) ?? new SharedRuns<Uint8Array>(({ length }) => length <= maxKeptBytes)
    this.#once.set(task, runs)
    return runs.ask(key, signal, (end) => this.run(task, input, { identity, signal: end }))
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}
