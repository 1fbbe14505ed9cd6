// The rules that everyone gets, drawn the same way each time: seven of ten for a host or network and a port, the others
// between networks, for ranges and lists, and for a port alone; the last one accepts the rest. Also as one linear chain of
// nftables, which is the raw thing.

import { networkOf, printAddress, printSpan } from '../../server/src/shared/net/ipv4.ts'

export interface BenchRule {
  readonly protocol: 'tcp' | 'udp' | null
  /** A network; null is any. */
  readonly source: string | null
  /** A host, a network or a range; null is any. */
  readonly destination: string | null
  /** Number of the list of hosts that is the destination. */
  readonly list: number | null
  readonly ports: readonly [low: number, high: number] | null
  readonly isAccepted: boolean
}

export interface BenchPolicy {
  readonly lists: readonly (readonly string[])[]
  readonly rules: readonly BenchRule[]
}

/** Where the measured flows of TCP go: past all rules to the last one, and to the rule in the middle. */
export const flows = {
  last: { address: '172.24.7.7', port: 9 },
  middle: { address: '172.30.200.20', port: 4000 },
} as const

const services = [22, 25, 53, 80, 110, 123, 143, 389, 443, 445, 465, 587, 636, 853, 993, 995, 1433, 1521, 3306, 3389]
const blank: BenchRule = {
  protocol: null,
  source: null,
  destination: null,
  list: null,
  ports: null,
  isAccepted: true,
}
const middleRule: BenchRule = {
  ...blank,
  protocol: 'tcp',
  destination: flows.middle.address,
  ports: [flows.middle.port, flows.middle.port],
}

/** As many rules as asked for. Nothing but the last rule and the one in the middle matches a measured flow. */
export function drawPolicy(count: number): BenchPolicy {
  if (count === 0) return { lists: [], rules: [] }
  const random = randomNumbers(20_260_101)
  const below = (limit: number): number => Math.floor(random() * limit)
  const hosts = Array.from({ length: Math.max(20, count / 3) }, () => printAddress(0xac10_0000 + below(2 ** 20)))
  const host = (): string => hosts[below(hosts.length)] as string
  const network = (base: number, bits: number, prefix: number): string => {
    const { low, high } = networkOf(base + below(2 ** bits), prefix)
    return printSpan(low, high)
  }
  const destination = (): string => (below(5) < 3 ? host() : network(0xac10_0000, 20, 22 + below(7)))
  const range = (): string => {
    const first = 0xac10_0000 + below(2 ** 20)
    return printSpan(first, first + 5 + below(60))
  }
  const lists = Array.from({ length: Math.ceil(count / 100) }, () => [
    ...new Set(Array.from({ length: 2 + below(18) }, host)),
  ])
  const one = (port: number): readonly [number, number] => [port, port]
  const drawRule = (): BenchRule => {
    const isAccepted = below(5) > 0
    const kind = random()
    if (kind < 0.7) {
      const ports = one(services[below(services.length)] ?? 443)
      return { ...blank, protocol: 'tcp', destination: destination(), ports, isAccepted }
    }
    if (kind < 0.85) {
      const source = network(0x0a40_0000, 22, 24)
      return { ...blank, source, destination: network(0xac10_0000, 20, 24), isAccepted }
    }
    if (kind < 0.9) {
      const low = 8_000 + below(2_000)
      return { ...blank, protocol: 'tcp', destination: range(), ports: [low, low + 1 + below(100)], isAccepted }
    }
    if (kind < 0.95) {
      const ports = one(services[below(services.length)] ?? 443)
      return { ...blank, protocol: 'tcp', list: below(lists.length), ports, isAccepted }
    }
    return { ...blank, protocol: below(2) > 0 ? 'tcp' : 'udp', ports: one(20_000 + below(40_000)), isAccepted }
  }
  const rules = Array.from({ length: count }, drawRule)
  return { lists, rules: rules.with(Math.floor(count / 2), middleRule).with(count - 1, blank) }
}

/** Mulberry32: small, evenly spread and the same on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b_79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value = (value + Math.imul(value ^ (value >>> 7), value | 61)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

export const printPorts = ([low, high]: readonly [number, number], between = '-'): string =>
  low === high ? `${low}` : `${low}${between}${high}`

/** A rule as an administrator would write it by hand; it counts, as the gateway's rules do. */
export function printRule({ protocol, source, destination, list, ports, isAccepted }: BenchRule): string {
  return [
    source === null ? '' : `ip saddr ${source}`,
    destination === null ? '' : `ip daddr ${destination}`,
    list === null ? '' : `ip daddr @list${list}`,
    ports === null ? '' : `${protocol} dport ${printPorts(ports)}`,
    'counter',
    isAccepted ? 'accept' : 'drop',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

export const linearTable = 'inet linear'

/** All rules in one chain, after the one for established connections. */
export function printLinear({ lists, rules }: BenchPolicy): string {
  const sets = lists.map((hosts, at) => `set list${at} { type ipv4_addr; elements = { ${hosts.join(', ')} } }`)
  return [
    `table ${linearTable} {`,
    ...sets,
    'chain forward {',
    'type filter hook forward priority filter; policy accept;',
    'ct state established,related counter accept',
    ...rules.map(printRule),
    '}',
    '}\n',
  ].join('\n')
}
