// Who is at which address, as gatewayd last told it. A whole table counts from its last part on, so that a restart of gatewayd
// never leaves a moment without users.

import type { FilterUser } from '../domain/web-filter/model.ts'
import type { SessionsMessage } from '../domain/web-filter/protocol.ts'
import { networkAround } from '../shared/net/ipv4.ts'

interface Table {
  readonly hosts: Map<string, FilterUser>
  readonly networks: Map<string, FilterUser>
  /** How many networks have a prefix of this length. */
  readonly prefixes: Map<number, number>
}

const empty = (): Table => ({ hosts: new Map(), networks: new Map(), prefixes: new Map() })

export class SessionTable {
  #current = empty()
  #next: Table | null = null

  get size(): number {
    return this.#current.hosts.size + this.#current.networks.size
  }

  /** A host before the network around it. */
  at(address: string): FilterUser | null {
    const { hosts, networks, prefixes } = this.#current
    const host = hosts.get(address)
    if (host) return host
    if (networks.size === 0 || !/^[0-9.]+$/.test(address)) return null
    for (const prefix of prefixes.keys()) {
      const found = networks.get(`${networkAround(address, prefix)}`)
      if (found) return found
    }
    return null
  }

  take({ table, put, gone }: SessionsMessage): void {
    if (table === 'first' || table === 'only') this.#next = empty()
    const into = table === null ? this.#current : (this.#next ?? empty())
    change(into, { put, gone })
    // Differences that come while a table is sent are newer than it.
    if (table === null && this.#next) change(this.#next, { put, gone })
    if (table === 'last' || table === 'only') {
      this.#current = into
      this.#next = null
    }
  }
}

function change(table: Table, { put, gone }: Pick<SessionsMessage, 'put' | 'gone'>): void {
  for (const key of gone) {
    table.hosts.delete(key)
    if (table.networks.delete(key)) count(table, key, -1)
  }
  for (const { address, prefix, user } of put) {
    if (prefix === undefined) table.hosts.set(address, user)
    else {
      const key = `${address}/${prefix}`
      if (!table.networks.has(key)) count(table, key, 1)
      table.networks.set(key, user)
    }
  }
}

function count({ prefixes }: Table, network: string, by: number): void {
  const prefix = Number(network.split('/')[1])
  const number = (prefixes.get(prefix) ?? 0) + by
  if (number > 0) prefixes.set(prefix, number)
  else prefixes.delete(prefix)
}
