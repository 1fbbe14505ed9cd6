// Which firewall rule had a connection inspected. Such a rule writes a line for the first packet of each connection, which is
// neither a hit nor a record; events of the connection get their rule from here.

import { noNumber } from '../../../domain/logs/kinds.ts'
import { plainAddress } from '../../../shared/net/plain-address.ts'
import type { Hit } from './hit-line.ts'

/** What such a line has as its action, see `record` of domain/policy/nft.ts. */
export const inspectedAction = 'inspect'

export interface InspectedConnection {
  /** FWD or INP. */
  readonly table: string
  readonly rule: string
  /** Devices. */
  readonly input: string
  readonly output: string
}

export interface Ends {
  readonly protocol: string
  readonly source: string
  /** `noNumber` where the protocol has no ports. */
  readonly sourcePort: number
  readonly destination: string
  readonly destinationPort: number
}

/** Some 40 MB. */
const mostConnections = 200_000

const protocolsWithPorts: ReadonlySet<string> = new Set(['TCP', 'UDP'])

/** Both the line and the engine see a connection behind DNAT and before SNAT. */
export class InspectedConnections {
  readonly #most: number
  /** Those that came last are last. */
  readonly #known = new Map<string, InspectedConnection>()
  /** Goes along with removals: to begin from the first one each time would step over all that were removed. */
  #oldest: Iterator<string> | null = null

  constructor(most = mostConnections) {
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  note(hit: Hit): void {
    const key = keyOf(hit)
    this.#known.delete(key)
    if (this.#known.size >= this.#most) {
      this.#oldest ??= this.#known.keys()
      this.#known.delete(this.#oldest.next().value ?? '')
    }
    this.#known.set(key, { table: hit.table, rule: hit.rule, input: hit.input, output: hit.output })
  }

  find(ends: Ends): InspectedConnection | undefined {
    return this.#known.get(keyOf(ends)) ?? this.#known.get(keyOf(turned(ends)))
  }
}

/** The engine names replies by their own ends where it does not know who opened the connection. */
const turned = ({ protocol, source, sourcePort, destination, destinationPort }: Ends): Ends => ({
  protocol,
  source: destination,
  sourcePort: destinationPort,
  destination: source,
  destinationPort: sourcePort,
})

function keyOf({ protocol, source, sourcePort, destination, destinationPort }: Ends): string {
  const [from, to] = [plainAddress(source) ?? source, plainAddress(destination) ?? destination]
  const [own, other] = protocolsWithPorts.has(protocol) ? [sourcePort, destinationPort] : [noNumber, noNumber]
  return `${protocol} ${from} ${own} ${to} ${other}`
}
