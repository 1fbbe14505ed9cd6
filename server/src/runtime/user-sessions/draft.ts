// What some steps together change: elements of live sets, sessions that began, changed or ended, hosts to cut. The keeper of
// sessions carries it out (keeper.ts).

import type { LiveChange, LiveElement } from '../../plan/artifacts.ts'
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
  /** Sessions whose state is another one. */
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

  /** In one list for each transaction of the kernel, none of them longer than it takes, and each set once in a list. */
  changes(most: number): LiveChange[][] {
    const lists: LiveChange[][] = []
    let list = new Map<string, LiveChange>()
    let room = most
    const put = (set: string, kind: 'add' | 'remove', elements: readonly LiveElement[]): void => {
      for (let at = 0; at < elements.length; ) {
        const part = elements.slice(at, at + room)
        list.set(set, { ...(list.get(set) ?? { set, add: [], remove: [] }), [kind]: part })
        at += part.length
        room -= part.length
        if (room > 0) continue
        lists.push([...list.values()])
        list = new Map()
        room = most
      }
    }
    // Removals first: where both concern a host, the other session of its address comes after.
    for (const [set, { remove }] of this.#sets) put(set, 'remove', [...remove.values()])
    for (const [set, { add }] of this.#sets) put(set, 'add', [...add.values()])
    return list.size > 0 ? [...lists, [...list.values()]] : lists
  }
}
