// Pids as the host counts them, for a launcher in its own process table: what it writes into
// launcher.json is for people and tools outside.

import { openSync, readFileSync, readlinkSync } from 'node:fs'
import { type ProcessIdentity, readIdentity } from './identity.ts'

/** Keeps a door to the process table we were born into; must be opened before an own /proc is mounted. */
export class HostPids {
  readonly #table: string
  readonly own: ProcessIdentity

  constructor() {
    this.#table = `/proc/self/fd/${openSync('/proc', 'r')}`
    const own = readIdentity(Number(readlinkSync('/proc/self')))
    if (own === null) throw new Error('The own process is missing in /proc.')
    this.own = own
  }

  /** The host's number of one of our children, which we know by our own number. */
  ofChild(pid: number): number | null {
    const { pid: own } = this.own
    try {
      const children = readFileSync(`${this.#table}/${own}/task/${own}/children`, 'utf8').trim().split(' ')
      return children.map(Number).find((child) => this.#innermostPid(child) === pid) ?? null
    } catch {
      // A kernel without CONFIG_PROC_CHILDREN, or the child is gone already: the number is a courtesy.
      return null
    }
  }

  #innermostPid(hostPid: number): number {
    const status = readFileSync(`${this.#table}/${hostPid}/status`, 'utf8')
    return Number(/^NSpid:.*?(\d+)$/m.exec(status)?.[1])
  }
}
