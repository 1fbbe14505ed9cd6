// Which of several interfaces an address is behind, as far as networks tell: the kernel's table of connections does not. Pure.

import type { Network } from './ipv4.ts'

export interface Place {
  readonly networks: readonly Network[]
  readonly isExternal: boolean
}

export interface Behind<P extends Place> {
  readonly place: P
  /** The network that contains the address; null when it was found otherwise. */
  readonly network: Network | null
}

/**
 * The place with the smallest network that contains the address; otherwise the one whose own address `used` is, which the gateway used in the
 * connection, or the only external one. Null when it is unknown, and for the gateway itself.
 */
export function createPlaceFinder<P extends Place>(places: readonly P[], own: ReadonlySet<number>) {
  const external = places.filter(({ isExternal }) => isExternal)
  const only = external.length === 1 ? external[0] : undefined
  return (address: number, used: number | null): Behind<P> | null => {
    if (own.has(address)) return null
    let nearest: Behind<P> | null = null
    for (const place of places)
      for (const network of place.networks)
        if (network.low <= address && address <= network.high && network.prefix > (nearest?.network?.prefix ?? -1))
          nearest = { place, network }
    if (nearest) return nearest
    const found = places.find(({ networks }) => networks.some((network) => network.address === used)) ?? only
    return found ? { place: found, network: null } : null
  }
}
