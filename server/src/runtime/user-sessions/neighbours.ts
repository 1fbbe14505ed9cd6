// The card behind an address, from the neighbours of the kernel. A table that was just read is used again, because many users
// may sign in at once.

import type { Applier } from '../../plan/artifacts.ts'
import type { Clock } from '../clock.ts'

export interface Neighbour {
  readonly mac: string
  readonly device: string
}

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

const states = new Set(['REACHABLE', 'STALE', 'DELAY', 'PROBE', 'PERMANENT'])

/** Only the entries of this address are parsed: there can be tens of thousands. */
export function findNeighbour(text: string, address: string): Neighbour | null {
  const wanted = `"${address}"`
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [start, end] = [text.lastIndexOf('{', at), text.indexOf('}', at)]
    if (start < 0 || end < 0) continue
    const { dst, lladdr, dev, state } = JSON.parse(text.slice(start, end + 1)) as Readonly<Record<string, unknown>>
    const isThere = Array.isArray(state) && state.some((one) => states.has(String(one)))
    if (dst === address && isThere && typeof lladdr === 'string' && macForm.test(lladdr))
      return { mac: lladdr.toLowerCase(), device: String(dev ?? '') }
  }
  return null
}

const macForm = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i
