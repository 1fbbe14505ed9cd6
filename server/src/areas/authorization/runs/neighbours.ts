// The card behind an address, from the neighbours of the kernel. A table that was just read is used again, because many users
// may sign in at once.

import type { Applier } from '../../../core/plan/artifacts.ts'
import { findNeighbour, type Neighbour } from '../../../shared/net/neighbours.ts'
import type { Clock } from '../../../shared/time/clock.ts'

const keptSeconds = 1

/** Null when the host is not in a network of the gateway, but behind a router: its card is not known then. */
export function createNeighbours({ applier, clock }: { applier: Pick<Applier, 'neighbours'>; clock: Clock }) {
  let known: { readonly readAt: number; readonly text: Promise<string> } | null = null

  function read(): Promise<string> {
    const text = applier.neighbours()
    const reading = { readAt: clock.elapsed(), text }
    known = reading
    text.catch(() => {
      if (known === reading) known = null
    })
    return text
  }

  /** `lately`: an answer that was right a moment ago will do. */
  return async (address: string, when: 'now' | 'lately' = 'now'): Promise<Neighbour | null> => {
    const isKept = known !== null && clock.elapsed() - known.readAt < keptSeconds
    if (known && isKept) {
      const found = findNeighbour(await known.text, address)
      if (found || when === 'lately') return found
    }
    return findNeighbour(await read(), address)
  }
}
