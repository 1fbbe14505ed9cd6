// What the DNS server needs of the firewall, as nftables: port 53 is closed from outside, and with interception queries of
// local hosts to the internet are turned to the gateway, while encrypted ones, which could not be answered, are refused.

import type { NftPiece } from '../plan/artifacts.ts'
import {
  addresses,
  blank,
  inSet,
  isQuotableInterface,
  jump,
  type Nft,
  printElements,
  quoteInterface,
  rule,
  sentence,
  words,
} from '../render/nft.ts'
import { makePiece } from '../render/nft-piece.ts'
import { closedDnsOrigin, type DnsStage, encryptedDns, interceptionOrigin } from './dns.ts'
import type { Policy } from './model.ts'

const fromOutside = inSet(words('iifname'), 'if_external')
const fromInside = inSet(words('iifname'), 'if_local')
const toInternet = inSet(words('ip daddr'), 'net_local', true)

/** In front of the user's INPUT rules: the server answers local networks only. */
export const dnsInput = ({ dns }: Policy): Nft[] =>
  dns === null
    ? []
    : ['udp', 'tcp'].map((protocol) => rule(closedDnsOrigin, fromOutside, words(`${protocol} dport 53 counter drop`)))

/** After the user's DNAT rules, which can exempt a host or redirect its queries. */
export const dnsRedirect = ({ dns }: Policy): Nft[] =>
  dns?.isIntercepting
    ? ['udp', 'tcp'].map((protocol) =>
        rule(interceptionOrigin, fromInside, toInternet, words(`${protocol} dport 53 counter redirect to :53`)),
      )
    : []

/** In front of the user's FORWARD rules. */
export const dnsForward = ({ dns }: Policy): Nft[] =>
  dns?.isIntercepting ? [sentence(fromInside, jump('dns_refused'))] : []

export function dnsPieces({ dns, externalDevices }: Policy): NftPiece[] {
  if (dns === null) return []
  const external = deviceSet('if_external', externalDevices)
  return dns.isIntercepting ? [external, ...interception(dns)] : [external]
}

const interception = ({ local, near }: DnsStage): NftPiece[] => [
  deviceSet(
    'if_local',
    local.map(({ device }) => device),
  ),
  addressSet('net_local', printElements(near, addresses)),
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

export const deviceSet = (name: string, devices: readonly string[]): NftPiece =>
  makePiece({
    kind: 'set',
    name,
    head: words('type ifname;'),
    lines: devices.filter(isQuotableInterface).map(quoteInterface),
    origin: '',
  })

const addressSet = (name: string, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'set', name, head: words('type ipv4_addr; flags interval;'), lines: [...lines], origin: '' })
