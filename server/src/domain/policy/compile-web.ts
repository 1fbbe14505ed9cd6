// The content filter as nftables. Web traffic of local hosts is led to the proxy behind DNAT; what the proxy opens for them
// has their address, goes through the output hook, and is judged there as if it were forwarded. Two bits of the connection
// mark tell the two halves from all others: 0x2 is the one between client and proxy, 0x4 the one between proxy and server.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { interception } from '../../core/plan/interception.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { gateByHost, isKnownHost, noticing } from './compile-authorization.ts'
import { fromInside, toInternet } from './compile-local-side.ts'
import { addressConditions } from './compile-rule.ts'
import type { Policy, WebInterception } from './model.ts'
import {
  addresses,
  blank,
  equals,
  goTo,
  type Hook,
  hexNumber,
  hookHead,
  inSet,
  isQuotableInterface,
  jump,
  type Nft,
  numbers,
  printElements,
  quoteInterface,
  rule,
  sentence,
  words,
} from './nft.ts'
import { directOrigin, quicOrigin, webDownOrigin, webIpv6Origin, webOrigin } from './web.ts'

const toWeb = inSet(words('tcp dport'), 'web_ports')
const setMark = sentence(words('meta mark set'), hexNumber(interception.mark))
const isMarked = equals(words('meta mark'), hexNumber(interception.mark))
const toOutside = inSet(words('oifname'), 'if_external')
const back = words('return')

/** What is not between proxy and server is not asked about in the chains of the output hook. */
const isOther = words('ct mark & 0x4 != 0x4 accept')

const isIntercepting = ({ web }: Policy): boolean => web !== null && web.interception !== null

/** The first of INPUT: what was led to the proxy, whatever administrators say of traffic to the gateway. */
export const webInput = (policy: Policy): Nft[] =>
  isIntercepting(policy) ? [rule('inp.sys.web_delivery', isMarked, words('counter accept'))] : []

/** The direct proxy is for local networks, and there for those who may reach the internet. */
export function webDirect({ web, authorization }: Policy): Nft[] {
  if (web === null || web.directPort === null) return []
  const port = equals(words('tcp dport'), numbers(web.directPort, web.directPort))
  const isHere = sentence(fromInside, words('meta nfproto ipv4'), port)
  return [
    ...(authorization === null ? [] : [sentence(isHere, jump('web_seen'))]),
    ...(authorization?.isEnforced ? [sentence(isHere, jump('auth_gate'))] : []),
    rule(directOrigin, isHere, words('counter accept')),
  ]
}

/** In front of the user's FORWARD rules: what the proxy could not read, so that clients use what it can. */
export function webForward({ web }: Policy): Nft[] {
  const taking = web?.interception
  if (!taking) return []
  const quic = words('counter reject with icmpx port-unreachable')
  const ipv6 = words('meta l4proto tcp counter reject with tcp reset')
  return [
    ...(taking.rejectsQuic
      ? [rule(quicOrigin, fromInside, toOutside, inSet(words('udp dport'), 'web_ports'), quic)]
      : []),
    ...(taking.isTaking ? [rule(webIpv6Origin, words('meta nfproto ipv6'), fromInside, toOutside, toWeb, ipv6)] : []),
  ]
}

/** The first of OUTPUT: what was judged as forwarded is not judged as the gateway's own. */
export const webOutput = (policy: Policy): Nft[] =>
  isIntercepting(policy) ? [rule('out.sys.web_proxy', words('ct mark & 0x4 == 0x4 counter accept'))] : []

/** What comes before the rules for what the proxy opened: the order is that of FORWARD. */
export const webSystem = ({ isBlocked }: Policy): Nft[] => [
  isOther,
  ...(isBlocked ? [rule('fwd.sys.blocked', words('counter drop'))] : []),
  rule('fwd.sys.established', words('ct state established,related counter accept')),
]

export const webDns = ({ dns }: Policy): Nft[] => (dns?.isIntercepting ? [jump('dns_refused')] : [])

/** Clients were asked for authorization when they were led to the proxy, where their card is known. */
export const webGate = ({ authorization }: Policy): readonly Nft[] => (authorization?.isEnforced ? gateByHost : [])

/** The marks of log rules, on the first packets of a connection. */
export const webLog: readonly Nft[] = [isOther, words('ct state != new accept')]

/** Between the chains of other programs and the rules for what the gateway itself sends. */
export const webHooks = {
  log: { type: 'filter', at: 'output', priority: 'filter - 4' },
  access: { type: 'filter', at: 'output', priority: 'filter - 3' },
  forward: { type: 'filter', at: 'output', priority: 'filter - 2' },
} as const satisfies Record<string, Hook>

export function webPieces(policy: Policy): NftPiece[] {
  const { web, authorization } = policy
  if (web === null) return []
  const seen = authorization === null ? [] : [chain('web_seen', noticing(authorization, blank))]
  const taking = web.interception
  if (taking === null) return seen
  const sets: NftPiece[] = []
  const isTaking = taking.isTaking && !policy.isBlocked
  return [
    ...seen,
    set('web_ports', 'type inet_service;', [numbers(80, 80), numbers(443, 443)]),
    base('web_take', { type: 'filter', at: 'prerouting', priority: 'dstnat + 10' }, taken(policy, isTaking)),
    chain('web_tproxy', delivering(taking)),
    base('web_open', { type: 'filter', at: 'output', priority: 'filter - 5' }, opened),
    chain('web_opened', openedLines),
    base('web_back', { type: 'route', at: 'output', priority: 'mangle' }, returned),
    ...(isTaking ? choosing(policy, taking, sets) : []),
    ...sets,
  ]
}

const chain = (name: string, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'chain', name, head: '', lines, origin: '' })
const base = (name: string, hook: Hook, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'chain', name, head: hookHead(hook), lines, origin: '' })
const set = (name: string, head: string, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'set', name, head: words(head), lines, origin: '' })

/** Behind DNAT, whose translations go where they lead. */
const taken = ({ authorization }: Policy, isTaking: boolean): Nft[] => [
  ...(authorization === null ? [] : [sentence(words('ct mark & 0x2 == 0x2'), jump('web_seen'))]),
  // Sent again, before the proxy answered.
  sentence(words('ct state new ct mark & 0x2 == 0x2'), goTo('web_tproxy')),
  sentence(words('ct mark & 0x6 != 0x0'), setMark, words('accept')),
  ...(isTaking
    ? [
        rule(
          webOrigin,
          words('ct state new'),
          fromInside,
          toWeb,
          toInternet,
          words('ct status & dnat == 0x0'),
          inSet(words('fib daddr oifname'), 'web_uplinks'),
          jump('web_choose'),
        ),
      ]
    : []),
]

/** The marks are set behind the lookup of the listener: without one the next line refuses, and nothing passes unfiltered. */
function delivering({ ports, isAnswering }: WebInterception): Nft[] {
  const lead = (from: number, to: number): Nft =>
    rule(
      webOrigin,
      words(`tcp dport ${from} tproxy ip to 127.0.0.1:${numbers(to, to)}`),
      setMark,
      words('ct mark set ct mark | 0x2 counter accept'),
    )
  return [
    lead(80, ports.http),
    lead(443, ports.https),
    rule(webDownOrigin, words(`meta l4proto tcp counter ${isAnswering ? 'drop' : 'reject with tcp reset'}`)),
  ]
}

/** In the middle of a connection that is not in the table: it was cut. */
const isCut = words('tcp flags & 0x12 != 0x2')

/**
 * Only a transparent socket sends with an address that the gateway does not have. What was cut ends for the proxy at once, whichever
 * half it is; otherwise the kernel would take its next packet for a new connection.
 */
const opened: readonly Nft[] = [
  words('ct state != new accept'),
  sentence(words('meta nfproto ipv4 fib saddr type != local meta l4proto tcp'), jump('web_opened')),
]
const openedLines: readonly Nft[] = [
  sentence(toWeb, words('ct mark set ct mark | 0x4')),
  sentence(isCut, inSet(words('tcp sport'), 'web_ports'), words('ct mark set ct mark | 0x4')),
  sentence(isCut, words('ct mark & 0x4 == 0x4 reject with tcp reset')),
]

/** A refusal by the rules would go to the client, whose address the connection has; the proxy is the one to hear it. */
const returned: readonly Nft[] = [sentence(words('ct mark & 0x4 == 0x4 ct direction reply tcp flags rst'), setMark)]

function choosing(
  { web, authorization, externalDevices }: Policy,
  taking: WebInterception,
  sets: NftPiece[],
): NftPiece[] {
  const { sources, exclusions } = taking
  const lines = [
    ...exclusions.flatMap((one) =>
      addressConditions({ source: one.sources, destination: one.destinations }, null, sets).map((parts) =>
        rule(one.origin, ...parts, words('counter return')),
      ),
    ),
    ...addressConditions({ source: sources, destination: null }, null, sets).map((parts) =>
      sentence(...parts, goTo('web_from')),
    ),
  ]
  const from = (web?.networks ?? [])
    .filter(({ device }) => isQuotableInterface(device))
    .flatMap(({ device, ranges }) =>
      printElements(ranges, addresses).map((network) =>
        sentence(
          equals(words('iifname'), quoteInterface(device)),
          equals(words('ip saddr'), network),
          goTo('web_admit'),
        ),
      ),
    )
  const admit = [
    ...(authorization === null ? [] : [jump('web_seen')]),
    ...(authorization?.isEnforced ? [jump('web_gate')] : []),
    // The half of the client was cut: it hears of it with its next packet.
    sentence(isCut, words('reject with tcp reset')),
    goTo('web_tproxy'),
  ]
  // Who is not known goes on as without the proxy, and is refused where everyone is.
  const gate = [inSet(words('ip saddr'), 'auth_suspended')].map((condition) => sentence(condition, words('accept')))
  return [
    set('web_uplinks', 'typeof fib daddr oifname;', externalDevices.filter(isQuotableInterface).map(quoteInterface)),
    chain('web_choose', lines),
    chain('web_from', from),
    chain('web_admit', admit),
    ...(authorization?.isEnforced
      ? [chain('web_gate', [...gate, ...isKnownHost.map((condition) => sentence(condition, back)), words('accept')])]
      : []),
  ]
}
