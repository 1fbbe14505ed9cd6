// The connections that the kernel tracks now, by the same keys as packets have. Needs the right net_admin.

import { printAddress } from '../../shared/net/ipv4.ts'
import { readConnections } from '../flows/table.ts'
import { connectionKey } from './packet.ts'

const names: Readonly<Record<number, string>> = { 6: 'tcp', 17: 'udp' }

export function* openConnections(): Generator<string> {
  for (const piece of readConnections())
    for (const { protocol, source, sourcePort, destination, destinationPort } of piece) {
      const name = names[protocol]
      if (name === undefined) continue
      yield connectionKey(
        name,
        `${printAddress(source)}:${sourcePort}`,
        `${printAddress(destination)}:${destinationPort}`,
      )
    }
}
