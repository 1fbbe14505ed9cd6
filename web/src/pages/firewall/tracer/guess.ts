// Where a packet comes in, when the person does not say: at the connection whose network the source is in. Pure.

import { parseAddress, parseNetwork } from '@gateway/server/net/ipv4'

export interface Connection {
  readonly id: number
  readonly type: string
  readonly enabled: boolean
  readonly addresses?: readonly string[] | undefined
}

const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].flatMap((text) => parseNetwork(text) ?? [])

/** Null: the gateway itself sends it. */
export function guessInterface(source: string, connections: readonly Connection[]): string | null {
  const address = parseAddress(source)
  const usable = connections.filter(({ enabled }) => enabled)
  const aliasOf = ({ id }: Connection): string => `interface.id.${id}`
  if (address !== null) {
    for (const connection of usable) {
      for (const text of connection.addresses ?? []) {
        const network = parseNetwork(text)
        if (network?.address === address) return null
        if (network && address >= network.low && address <= network.high) return aliasOf(connection)
      }
    }
  }
  const isPrivate = address !== null && privateNetworks.some(({ low, high }) => address >= low && address <= high)
  const inside = isPrivate ? usable.find(({ type }) => type === 'lan') : undefined
  if (inside) return aliasOf(inside)
  const outside =
    usable.find(({ type }) => type !== 'lan' && type !== 'loopback') ?? usable.find(({ type }) => type === 'lan')
  return outside ? aliasOf(outside) : null
}
