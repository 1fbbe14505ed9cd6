// What `nft monitor trace` shows about the packets of a trial, by packet. A packet is known by its IP
// identification, which the peer of the copy sets and which no translation changes.

import type { Arrival, DetailedResult } from './input.ts'

/** Our own table in the copy: its first chain sees what comes in, its last ones what got through. */
export const ownTable = 'portcullis_trial'
export const enterChain = 'enter'
export const leaveChain = 'leave'
export const deliverChain = 'deliver'

interface Gathered {
  isDropped: boolean
  arrival: Arrival | null
  readonly origins: Set<string>
}

export class Trace {
  /** The kernel makes its ids of addresses in memory, so an id may come back for another packet: the last one counts. */
  readonly #packetOf = new Map<string, number>()
  readonly #gathered = new Map<number, Gathered>()

  addLine(line: string): void {
    const [, id, table, chain, kind, rest = ''] =
      /^trace id ([0-9a-f]+) \S+ (\S+) (\S+) (packet:|rule|policy) (.*)$/.exec(line) ?? []
    if (id === undefined) return
    if (kind === 'packet:') this.#enter(id, table === ownTable ? chain : undefined, rest)
    else this.#judge(id, rest.trimEnd())
  }

  /** What a rule did, or what became of the packet at the end of a chain. */
  #judge(id: string, words: string): void {
    const gathered = this.#gathered.get(this.#packetOf.get(id) ?? -1)
    const origin = /(?:^| )comment "([^"]*)" \(verdict [^)]*\)$/.exec(words)?.[1]
    if (origin !== undefined) gathered?.origins.add(origin)
    if (gathered && (words === 'drop' || words.endsWith('(verdict drop)'))) gathered.isDropped = true
  }

  /** Every hook begins with the packet as it is by then. */
  #enter(id: string, ownChain: string | undefined, packet: string): void {
    const number = Number(/ ip id (\d+) /.exec(packet)?.[1] ?? -1)
    this.#packetOf.set(id, number)
    const gathered = this.#gathered.get(number) ?? { isDropped: false, arrival: null, origins: new Set() }
    this.#gathered.set(number, gathered)
    if (ownChain === leaveChain || ownChain === deliverChain) gathered.arrival = parseArrival(packet, ownChain)
  }

  hasSeen(packet: number): boolean {
    return this.#gathered.has(packet)
  }

  /** True when nothing more can become of the packet. */
  isDecided(packet: number): boolean {
    const gathered = this.#gathered.get(packet)
    return gathered !== undefined && (gathered.isDropped || gathered.arrival !== null)
  }

  resultOf(packet: number): DetailedResult {
    const { arrival = null, origins = [] } = this.#gathered.get(packet) ?? {}
    return { passed: arrival !== null, origins: [...origins], arrival }
  }
}

function parseArrival(packet: string, chain: string): Arrival {
  const field = (form: RegExp): string => form.exec(packet)?.[1] ?? ''
  return {
    device: chain === leaveChain ? field(/\boif "([^"]*)"/) : null,
    source: field(/ ip saddr (\S+)/),
    sourcePort: Number(field(/ (?:tcp|udp) sport (\d+)/)),
    destination: field(/ ip daddr (\S+)/),
    destinationPort: Number(field(/ (?:tcp|udp) dport (\d+)/)),
  }
}
