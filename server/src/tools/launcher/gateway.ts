// A running gateway: its processes, what is known of each, and the record of it all in launcher.json.

import type { HostPids } from './host-pids.ts'
import { type ProcessSpec, type ReadyMessage, SupervisedProcess } from './processes.ts'
import type { ProcessRecord } from './record.ts'

export type Processes = Readonly<Record<string, ProcessRecord>>

export interface GatewayEvents {
  /** Comes before the change it brings about. */
  readonly onReady: (name: string, message: ReadyMessage) => void
  readonly onChange: (processes: Processes) => void
  /** A process ended without being asked to; `wasReady` is false when it never served. */
  readonly onEnd: (name: string, how: string, wasReady: boolean) => void
}

interface Member {
  readonly process: SupervisedProcess
  pid: number | null
  isReady: boolean
}

const politeMs = 5000
/** applyd stops every engine first, one after the other when it must. */
const applydMs = 15_000
const serverMs = 2000

export class RunningGateway {
  readonly #members = new Map<string, Member>()
  readonly #events: GatewayEvents
  readonly #hostPids: HostPids
  #isStopping = false

  constructor(hostPids: HostPids, events: GatewayEvents) {
    this.#hostPids = hostPids
    this.#events = events
  }

  #list(): Processes {
    return Object.fromEntries(
      [...this.#members].map(([name, { process, pid, isReady }]) => [
        name,
        { pid, starts: process.starts, ready: isReady },
      ]),
    )
  }

  start(specs: readonly ProcessSpec[]): void {
    const events = {
      onStart: (name: string, pid: number) => this.#update(name, { pid: this.#hostPids.ofChild(pid), isReady: false }),
      onReady: (name: string, message: ReadyMessage) => this.#welcome(name, message),
      onEnd: (name: string, how: string) => this.#mourn(name, how),
    }
    for (const spec of specs)
      this.#members.set(spec.name, { process: new SupervisedProcess(spec, events), pid: null, isReady: false })
    for (const { process } of this.#members.values()) process.start()
  }

  /** gatewayd first, so that applyd gets no requests while it stops the engines. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#member('gatewayd')?.process.stop('SIGTERM', politeMs)
    await this.#member('applyd')?.process.stop('SIGINT', applydMs)
    await Promise.all([...this.#members.values()].map(({ process }) => process.stop('SIGTERM', serverMs)))
  }

  #member(name: string): Member | undefined {
    return this.#members.get(name)
  }

  #update(name: string, change: Partial<Pick<Member, 'pid' | 'isReady'>>): void {
    const member = this.#member(name)
    if (member === undefined) return
    Object.assign(member, change)
    this.#events.onChange(this.#list())
  }

  #welcome(name: string, message: ReadyMessage): void {
    this.#events.onReady(name, message)
    this.#update(name, { isReady: true })
  }

  #mourn(name: string, how: string): void {
    const wasReady = this.#member(name)?.isReady ?? false
    this.#update(name, { pid: null, isReady: false })
    if (!this.#isStopping) this.#events.onEnd(name, how, wasReady)
  }
}
