// The end of INPUT and FORWARD for external interfaces as nftables; outside.ts says what it means.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import type { OutsideService, Policy } from './model.ts'
import { addresses, blank, equals, goTo, inSet, type Nft, numbers, rule, sentence, words } from './nft.ts'
import { dhcpAnswers, linkMessages, linkOrigin, outsideOrigins, routerOrigin } from './outside.ts'

const chains = { input: 'outside_input', forward: 'outside_forward' } as const

/** Router advertisements, before the user's rules. Redirects are never taken (docs/behaviour/host.md). */
export const strangeRouters: readonly Nft[] = [
  rule(routerOrigin, inSet(words('iifname'), 'if_external', true), words('icmpv6 type 134 counter drop')),
]

/** Behind the user's rules. */
export const outsideEnd = (path: 'input' | 'forward'): Nft[] => [
  sentence(inSet(words('iifname'), 'if_external'), goTo(chains[path])),
]

export const outsidePieces = ({ outsideServices }: Policy): NftPiece[] =>
  (['input', 'forward'] as const).map((path) => {
    const { dropped, translated } = outsideOrigins[path]
    const lines = [
      rule(translated, words('ct status dnat counter accept')),
      ...(path === 'input' ? [...link(), ...outsideServices.flatMap(service)] : []),
      rule(dropped, words('counter drop')),
    ]
    return makePiece({ kind: 'chain', name: chains[path], head: '', lines, origin: '' })
  })

function link(): Nft[] {
  const answers = (from: Nft, { sourcePort, destinationPort }: (typeof dhcpAnswers)['ipv4' | 'ipv6']): Nft =>
    rule(linkOrigin, from, words(`udp sport ${sourcePort} udp dport ${destinationPort} counter accept`))
  return [
    ...linkMessages.map((types) =>
      rule(linkOrigin, equals(words('icmpv6 type'), numbers(...types)), words('counter accept')),
    ),
    answers(words('meta nfproto ipv4'), dhcpAnswers.ipv4),
    answers(words('ip6 saddr fe80::-febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'), dhcpAnswers.ipv6),
  ]
}

/** A line for each peer: there are few of them. */
const service = ({ name, protocol, destinationPort, peers }: OutsideService): Nft[] =>
  (peers?.map((peer) => equals(words('ip saddr'), addresses(peer, peer))) ?? [blank]).map((from) => {
    const what =
      destinationPort === null
        ? words(`meta l4proto ${protocol}`)
        : equals(words(`${protocol} dport`), numbers(destinationPort, destinationPort))
    return rule(`inp.sys.${name}`, from, what, words('counter accept'))
  })
