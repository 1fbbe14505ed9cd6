// DNS interception as nftables: queries of local hosts to the internet are redirected to the gateway, while encrypted ones,
// which could not be answered, are refused.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { fromInside, toInternet } from './compile-local-side.ts'
import { encryptedDns, interceptionOrigin } from './dns.ts'
import type { Policy } from './model.ts'
import { addresses, blank, inSet, jump, type Nft, printElements, rule, sentence, words } from './nft.ts'

/** Behind the user's DNAT rules, which may so except a host or lead its queries elsewhere. */
export const dnsRedirect = ({ dns }: Policy): Nft[] =>
  dns?.isIntercepting
    ? ['udp', 'tcp'].map((protocol) =>
        rule(interceptionOrigin, fromInside, toInternet, words(`${protocol} dport 53 counter redirect to :53`)),
      )
    : []

/** In front of the user's FORWARD rules. */
export const dnsForward = ({ dns }: Policy): Nft[] =>
  dns?.isIntercepting ? [sentence(fromInside, jump('dns_refused'))] : []

export const dnsPieces = ({ dns }: Policy): NftPiece[] => (dns?.isIntercepting ? interception() : [])

const interception = (): NftPiece[] => [
  addressSet('dns_encrypted', printElements(encryptedDns.servers, addresses)),
  makePiece({ kind: 'chain', name: 'dns_refused', head: '', lines: refusals(), origin: '' }),
]

function refusals(): Nft[] {
  const refuse = (match: Nft, protocol: 'tcp' | 'udp', port: number): Nft =>
    rule(
      interceptionOrigin,
      match,
      words(`${protocol} dport ${port} counter reject${protocol === 'tcp' ? ' with tcp reset' : ''}`),
    )
  const overHttps = inSet(words('ip daddr'), 'dns_encrypted')
  return [
    sentence(inSet(words('ip daddr'), 'net_local'), words('return')),
    // There is no address to turn them to, so they fall back to IPv4.
    ...(['udp', 'tcp'] as const).map((protocol) => refuse(words('meta nfproto ipv6'), protocol, 53)),
    ...encryptedDns.ports.map(([protocol, port]) => refuse(blank, protocol, port)),
    ...(['tcp', 'udp'] as const).map((protocol) => refuse(overHttps, protocol, 443)),
  ]
}

const addressSet = (name: string, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'set', name, head: words('type ipv4_addr; flags interval;'), lines: [...lines], origin: '' })
