// The limits of connections as nftables. `ct count` walks all connections of its key for each new one, so that a host with
// thousands would cost more than it is kept from taking: the connections of a host are counted in parts, by a hash that no one
// outside can predict, and a part that is full refuses for a second without being counted. The chains are of type nat, which see the
// first packet of a connection only; what cannot be counted there is refused. Queries over UDP are counted packet by packet.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { limitSets } from '../../core/plan/live-sets.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import {
  type ConnectionLimits,
  limitOrigins,
  mostDnsConnections,
  mostDnsPackets,
  partSize,
  partsOf,
} from './connection-limits.ts'
import type { Policy } from './model.ts'
import {
  changeSet,
  concatenate,
  countIn,
  equals,
  goTo,
  type Hook,
  hookHead,
  inSet,
  jump,
  type Nft,
  numbers,
  overRate,
  quoteInterface,
  rule,
  sentence,
  words,
} from './nft.ts'

const hooks = {
  // Before log marks and DNAT, so that what is refused costs nothing else.
  local: { type: 'nat', at: 'prerouting', priority: 'dstnat - 20' },
  // Behind the rules: what they drop from outside is not counted.
  forwarded: { type: 'nat', at: 'postrouting', priority: 'srcnat - 10' },
  received: { type: 'nat', at: 'input', priority: 'filter + 90' },
  // A host that uses one port for all of its queries has one connection.
  asked: { type: 'filter', at: 'input', priority: 'filter - 20' },
} as const satisfies Record<string, Hook>

const refusedSeconds = 1
const shownSeconds = 60

const notOwn = equals(words('iifname'), quoteInterface('lo'), true)
const fromOutside = inSet(words('iifname'), 'if_external')
/** While the set has its one element, 0.0.0.0. IPv6 is not forwarded. */
const isFull = inSet(words('ip saddr & 0.0.0.0'), limitSets.full)
const part = words('meta mark')

interface Family {
  readonly ending: '4' | '6'
  readonly hash: string
  /**
   * What counts as one host: all addresses of a host are in one network of IPv6. Addresses of the link are one network for all hosts, who have one share
   * together: one of them can have as many as it likes.
   */
  readonly host: Nft
}

const families: readonly Family[] = [
  { ending: '4', hash: 'ip saddr . ip daddr', host: words('ip saddr') },
  { ending: '6', hash: 'ip6 saddr . ip6 daddr', host: words('ip6 saddr & ffff:ffff:ffff:ffff::') },
]

let last: { readonly limits: ConnectionLimits; readonly pieces: readonly NftPiece[] } | null = null

/** The very same while the limits are: most changes are about something else. */
export function limitPieces({ limits }: Policy): readonly NftPiece[] {
  if (limits === null) return []
  const { localHost, outsideHost } = limits
  if (last?.limits.localHost !== localHost || last.limits.outsideHost !== outsideHost)
    last = { limits, pieces: piecesFor(limits) }
  return last.pieces
}

function piecesFor(limits: ConnectionLimits): readonly NftPiece[] {
  return [
    base('host_limit', hooks.local, [
      sentence(equals(words('iifname'), quoteInterface('lo')), words('accept')),
      sentence(fromOutside, words('accept')),
      rule(limitOrigins.full, isFull, words('fib daddr type unicast counter drop')),
      ...byFamily('local'),
    ]),
    base('outside_limit', hooks.forwarded, [
      rule(limitOrigins.full, fromOutside, isFull, words('counter drop')),
      sentence(fromOutside, jump('outside_limit_hosts')),
    ]),
    base('input_limit', hooks.received, [
      sentence(fromOutside, jump('outside_limit_hosts')),
      sentence(notOwn, words('meta nfproto ipv4 tcp dport 53'), goTo('limit_dns_tcp')),
    ]),
    base('dns_limit', hooks.asked, [
      rule(
        limitOrigins.dnsPackets,
        notOwn,
        words('meta nfproto ipv4 udp dport 53'),
        overRate('limit_dns_asked', words('ip saddr'), mostDnsPackets),
        words('counter drop'),
      ),
    ]),
    chain('limit_dns_tcp', [
      sentence(countIn('limit_dns_held', words('ip saddr . tcp dport'), mostDnsConnections), words('accept')),
      rule(limitOrigins.dns, words('counter drop')),
    ]),
    chain('outside_limit_hosts', byFamily('outside')),
    ...families.flatMap((family) => [
      chain(`limit_local_${family.ending}`, counted(family, 'local', limits.localHost)),
      chain(`limit_outside_${family.ending}`, counted(family, 'outside', limits.outsideHost)),
    ]),
    ...(['local', 'outside'] as const).map((side) => chain(`limit_${side}_refused`, [refuse(side)])),
    ...sets,
  ]
}

const byFamily = (side: 'local' | 'outside'): Nft[] => [
  sentence(words('meta nfproto ipv4'), goTo(`limit_${side}_4`)),
  sentence(words('meta nfproto ipv6'), goTo(`limit_${side}_6`)),
]

/** The mark of the packet carries the part from line to line. */
function counted({ ending: family, hash, host }: Family, side: 'local' | 'outside', limit: number): Nft[] {
  const key = concatenate(host, part)
  const parts = partsOf(limit)
  return [
    sentence(words(`meta mark set jhash ${hash} . th sport . th dport mod`), numbers(parts, parts)),
    sentence(inSet(key, `limit_over_${family}`), goTo(`limit_${side}_refused`)),
    sentence(countIn(`limit_held_${family}`, key, partSize), words('meta mark set 0 accept')),
    changeSet('update', `limit_over_${family}`, key, refusedSeconds),
    ...(family === '4' ? [changeSet('update', limitSets.hosts, host, shownSeconds)] : []),
    refuse(side),
  ]
}

const refuse = (side: 'local' | 'outside'): Nft => rule(limitOrigins[side], words('counter drop'))

const set = (name: string, head: string): NftPiece =>
  makePiece({ kind: 'set', name, head: words(head), lines: [], origin: '' })

/** Never more parts than connections. The heads never change, so that changes of the limits keep what is counted. */
const mostParts = 4_194_304
const sets: readonly NftPiece[] = [
  ...(['4', '6'] as const).flatMap((family) => {
    const type = `ipv${family}_addr . mark`
    return [
      set(`limit_held_${family}`, `type ${type}; flags dynamic; size ${mostParts};`),
      set(`limit_over_${family}`, `type ${type}; flags dynamic,timeout; size 65535;`),
    ]
  }),
  set('limit_dns_held', 'type ipv4_addr . inet_service; flags dynamic; size 65535;'),
  set('limit_dns_asked', 'type ipv4_addr; flags dynamic,timeout; size 65535;'),
  ...Object.values(limitSets).map((name) => set(name, 'type ipv4_addr; flags dynamic,timeout; size 65535;')),
]

const chain = (name: string, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'chain', name, head: '', lines, origin: '' })
const base = (name: string, hook: Hook, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'chain', name, head: hookHead(hook), lines, origin: '' })
