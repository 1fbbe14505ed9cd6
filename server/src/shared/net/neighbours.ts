// The hosts in the segments of the gateway, from the neighbour table of the kernel as ip(8) prints it in JSON. Pure.

import { parseAddress } from './ipv4.ts'

export interface Neighbour {
  /** IPv4, as a number. */
  readonly address: number
  readonly mac: string
  readonly device: string
  /** Is it known to be there now? */
  readonly isReachable: boolean
  /** Seconds since it answered last; null where the kernel did not say. */
  readonly confirmedAgo: number | null
}

interface Row {
  readonly dst?: unknown
  readonly dev?: unknown
  readonly lladdr?: unknown
  readonly state?: unknown
  readonly confirmed?: unknown
}

const macForm = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/
/** States of hosts that did not answer, and of those that never have to. */
const unknownStates = new Set(['INCOMPLETE', 'FAILED', 'NOARP', 'NONE'])
const presentStates = new Set(['REACHABLE', 'DELAY', 'PROBE', 'PERMANENT'])

/** IPv4 neighbours that have answered. What is not such a row is left out. */
export function parseNeighbours(text: string): Neighbour[] {
  const rows = JSON.parse(text) as unknown
  return Array.isArray(rows) ? rows.flatMap((row: Row | null) => neighbourOf(row ?? {})) : []
}

function neighbourOf({ dst, dev, lladdr, state, confirmed }: Row): Neighbour[] {
  const address = typeof dst === 'string' ? parseAddress(dst) : null
  const mac = typeof lladdr === 'string' ? lladdr.toLowerCase() : ''
  const states = Array.isArray(state) ? state.map(String) : []
  if (address === null || typeof dev !== 'string' || !macForm.test(mac)) return []
  if (states.length === 0 || states.some((one) => unknownStates.has(one))) return []
  const isReachable = states.some((one) => presentStates.has(one))
  return [{ address, mac, device: dev, isReachable, confirmedAgo: typeof confirmed === 'number' ? confirmed : null }]
}

/** Only the rows of this address are parsed: there can be tens of thousands. */
export function findNeighbour(text: string, address: string): Neighbour | null {
  const wanted = `"${address}"`
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [start, end] = [text.lastIndexOf('{', at), text.indexOf('}', at)]
    if (start < 0 || end < 0) continue
    const row = JSON.parse(text.slice(start, end + 1)) as Row
    const [found = null] = row.dst === address ? neighbourOf(row) : []
    if (found) return found
  }
  return null
}

/** Made up by the host itself, as phones do to stay unknown: no maker is behind it. */
export const isRandomMac = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 2) !== 0
