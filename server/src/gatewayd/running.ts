// The services that run: each is made when it is first asked for, with what it needs made before it, and stopped in the reverse
// order.

import { setTimeout as passes } from 'node:timers/promises'
import type { Host, Run, Running } from '../core/area/run.ts'
import type { Service } from '../core/area/service.ts'
import type { Log } from '../core/log.ts'

/** How long one may hold up the end of the process: it may wait for a process that hangs. */
const stopMilliseconds = 2_000

/** A value that is offered without being made here. */
export interface Provided {
  readonly service: Service<unknown>
  readonly offers: unknown
}

export const provide = <T>(service: Service<T>, offers: NonNullable<T>): Provided => ({ service, offers })

export class RunningServices {
  readonly #runs: ReadonlyMap<Service<unknown>, Run>
  readonly #host: Host
  /** In the order in which they were made; null: does not run here. */
  readonly #made = new Map<Service<unknown>, Running<unknown> | null>()
  readonly #making = new Set<Service<unknown>>()
  #isStopped = false

  constructor(runs: readonly Run[], provided: readonly Provided[], host: Host) {
    this.#runs = new Map(runs.map((one) => [one.service, one]))
    this.#host = host
    for (const { service, offers } of provided) this.#made.set(service, { offers })
  }

  of = <T>(service: Service<T>): T => {
    const found = this.#make(service)
    if (!found && !service.isOptional) throw new Error(`the service "${service.name}" does not run`)
    return found?.offers as T
  }

  #make(service: Service<unknown>): Running<unknown> | null {
    const known = this.#made.get(service)
    if (known !== undefined) return known
    if (this.#making.has(service)) throw new Error(`the service "${service.name}" needs itself`)
    this.#making.add(service)
    try {
      const made = this.#runs.get(service)?.make(this.#host) ?? null
      this.#made.set(service, made)
      return made
    } finally {
      this.#making.delete(service)
    }
  }

  /** Makes all of them, in the order of the list. */
  makeAll(): void {
    for (const service of this.#runs.keys()) this.#make(service)
  }

  async start(): Promise<void> {
    for (const running of this.#running()) await running.start?.()
  }

  follow = (): void => {
    for (const running of this.#running()) running.follow?.()
  }

  look = (): void => {
    for (const running of this.#running()) running.look?.()
  }

  /** Once; what was made can still be asked for, because the last requests and changes may need it. */
  async stop(log: Log, milliseconds = stopMilliseconds): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    for (const [{ name }, running] of [...this.#made].reverse()) {
      if (!running?.stop) continue
      const late = passes(milliseconds, 'late' as const, { ref: false })
      const result = await Promise.race([this.#stop(running, name, log), late])
      if (result === 'late') log('warning', 'a service did not stop in time', { name })
    }
  }

  async #stop(running: Running<unknown>, name: string, log: Log): Promise<void> {
    try {
      await running.stop?.()
    } catch (error) {
      log('warning', 'a service did not stop', { name, error })
    }
  }

  #running(): Running<unknown>[] {
    return [...this.#made.values()].filter((running) => running !== null)
  }
}
