// Where the kernel sends an address: to the gateway itself, out of a device, or nowhere. As far as the facts show: the
// networks of the gateway's own addresses and the default route. Pure.

import type { Facts } from '../../core/plan/facts.ts'
import { networkOf, parseAddress } from '../../shared/net/ipv4.ts'
import { contains, type Ranges, toRanges } from '../../shared/net/ranges.ts'
import { cutPoint } from './evaluate-match.ts'
import type { Policy, Span } from './model.ts'

export interface Route {
  readonly span: Span
  readonly device: string
}

export interface Routing {
  /** What is for the gateway itself: its addresses, broadcasts and multicast. */
  readonly own: Ranges
  /** The most specific first. */
  readonly routes: readonly Route[]
  /** IPv6 goes by text: `own` holds the gateway's addresses as the kernel prints them. */
  readonly ipv6: { readonly own: readonly string[]; readonly device: string | null }
}

export type Way =
  | { readonly kind: 'own' }
  | { readonly kind: 'device'; readonly device: string }
  | { readonly kind: 'none' }
  /** The parts of a span go different ways; `at` is the first address of the upper part. */
  | { readonly kind: 'cut'; readonly at: number }

const multicast: Span = [0xe000_0000, 0xefff_ffff]
const loopback: Span = [0x7f00_0000, 0x7fff_ffff]
const everyone: Span = [0xffff_ffff, 0xffff_ffff]

export function routingOf(facts: Facts, policy: Pick<Policy, 'ownAddresses'>): Routing {
  const connected = facts.interfaces.filter(({ isUp }) => isUp).flatMap((device) => listNetworks(device))
  const broadcasts = connected.flatMap(({ low, high }): Span[] => (high - low > 1 ? [[high, high]] : []))
  const own = [...policy.ownAddresses, ...connected.map(({ address }) => address)].map((it): Span => [it, it])
  const routes = connected
    .toSorted((a, b) => b.prefix - a.prefix)
    .map(({ low, high, device }): Route => ({ span: [low, high], device }))
  const external = facts.externalInterfaces[0]
  return {
    own: toRanges([...own, ...broadcasts, multicast, loopback, everyone]),
    routes: external === undefined ? routes : [...routes, { span: [0, 0xffff_ffff], device: external }],
    ipv6: {
      own: facts.interfaces.flatMap(({ addresses }) => addresses.map((it) => it.split('/')[0] as string)),
      device: facts.externalIpv6Interfaces[0] ?? external ?? null,
    },
  }
}

function listNetworks({ name, addresses }: Facts['interfaces'][number]) {
  return addresses.flatMap((text) => {
    const [head = '', tail = '32'] = text.split('/')
    const address = parseAddress(head)
    return address === null ? [] : [{ ...networkOf(address, Number(tail)), device: name }]
  })
}

export function findWay(routing: Routing, [low, high]: Span): Way {
  const border = cutPoint(routing.own, [low, high])
  if (border !== null) return { kind: 'cut', at: border }
  if (contains(routing.own, low)) return { kind: 'own' }
  for (const { span, device } of routing.routes) {
    const at = cutPoint(span, [low, high])
    if (at !== null) return { kind: 'cut', at }
    if (span[0] <= low && high <= span[1]) return { kind: 'device', device }
  }
  return { kind: 'none' }
}

/** Does the route to this address lead to the device that its packet came in by? */
export function isWayBack(routing: Routing, address: number, incoming: string | null): boolean {
  const way = findWay(routing, [address, address])
  return way.kind === 'device' && way.device === incoming
}

export function findIpv6Way(routing: Routing, destination: string): Way {
  if (routing.ipv6.own.includes(destination)) return { kind: 'own' }
  return routing.ipv6.device === null ? { kind: 'none' } : { kind: 'device', device: routing.ipv6.device }
}
