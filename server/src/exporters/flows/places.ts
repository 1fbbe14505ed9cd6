// Accounting numbers and prefixes of both ends of a connection, and whether it passes an interface that is exported. What was
// found for an address is remembered, up to a bound: many connections share few addresses.

import { type Behind, createPlaceFinder, type Place } from '../../shared/net/behind.ts'

export interface FlowPlace extends Place {
  /** `netflow_index` of the interface. */
  readonly index: number
  readonly isExported: boolean
}

export interface End {
  readonly index: number
  readonly prefix: number
  readonly isExported: boolean
}

const maxRemembered = 65_536
const nowhere: End = { index: 0, prefix: 0, isExported: false }

export function createEndFinder(places: readonly FlowPlace[], own: ReadonlySet<number>) {
  const find = createPlaceFinder(places, own)
  const known = new Map<number, End | null>()
  const endOf = (found: Behind<FlowPlace> | null): End =>
    found === null
      ? nowhere
      : { index: found.place.index, prefix: found.network?.prefix ?? 0, isExported: found.place.isExported }

  return (address: number, used: number): End => {
    let end = known.get(address)
    if (end === undefined) {
      const found = find(address, null)
      // Outside of all networks it depends on the address that the gateway used.
      end = own.has(address) || found?.network ? endOf(found) : null
      if (known.size >= maxRemembered) known.clear()
      known.set(address, end)
    }
    return end ?? endOf(find(address, used))
  }
}
