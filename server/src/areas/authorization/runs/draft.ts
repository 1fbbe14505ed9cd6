// What some steps together change: elements of live sets, sessions that began, changed or ended, hosts to cut. The keeper of
// sessions carries it out (keeper.ts).

import type { LiveChange, LiveElement } from '../../../core/plan/artifacts.ts'
import type { Entry } from './session-index.ts'
import type { SessionEvent } from './session-lines.ts'
import type { SessionRow } from './session-rows.ts'

interface SetChange {
  readonly add: Map<string, LiveElement>
  readonly remove: Map<string, LiveElement>
}

export const hostElement = (address: string, seconds: number | null = null): LiveElement => ({
  address,
  mac: null,
  device: null,
  seconds,
})

const keyOf = ({ address, mac, device }: LiveElement): string => `${address} ${mac} ${device}`

export class Draft {
  readonly #sets = new Map<string, SetChange>()
  readonly opened = new Set<Entry>()
  /** Sessions whose state has changed. */
  readonly changed = new Set<Entry>()
  /** Rows of what is over, by id: kept until the connections are cut. */
  readonly ended = new Map<string, SessionRow>()
  readonly cuts = new Set<string>()
  readonly events: SessionEvent[] = []
  /** How many elements were touched. */
  size = 0

  add(set: string, element: LiveElement): void {
    const { add, remove } = this.#of(set)
    add.set(keyOf(element), element)
    remove.delete(keyOf(element))
  }

  remove(set: string, element: LiveElement): void {
    const { add, remove } = this.#of(set)
    remove.set(keyOf(element), element)
    add.delete(keyOf(element))
  }

  #of(set: string): SetChange {
    this.size++
    const known = this.#sets.get(set) ?? { add: new Map(), remove: new Map() }
    this.#sets.set(set, known)
    return known
  }

  /** In one list for each transaction of the kernel, none of them longer than it takes, each set once. */
  changes(most: number): LiveChange[][] {
    const lists: Map<string, { add: LiveElement[]; remove: LiveElement[] }>[] = []
    let room = 0
    const put = (set: string, kind: 'add' | 'remove', element: LiveElement): void => {
      if (room === 0) {
        lists.push(new Map())
        room = most
      }
      room--
      const list = lists.at(-1)
      const change = list?.get(set) ?? { add: [], remove: [] }
      list?.set(set, change)
      change[kind].push(element)
    }
    // Removals first: where both concern a host, the other session of its address comes after.
    for (const [set, { remove }] of this.#sets) for (const element of remove.values()) put(set, 'remove', element)
    for (const [set, { add }] of this.#sets) for (const element of add.values()) put(set, 'add', element)
    return lists.map((list) => [...list].map(([set, change]) => ({ set, ...change })))
  }
}
