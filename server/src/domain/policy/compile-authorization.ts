// Authorization of hosts as nftables: which of them are known, which are let out, and where browsers of the others are led.
// What rules say is in sets of the plan; who is authorized now is in sets whose elements come and go without it. All chains
// look up sets, so that the number of rules and sessions costs a packet nothing. authorization.ts says what it means.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { type LiveKey, type LiveSetName, liveSets } from '../../core/plan/live-sets.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import type { Ranges } from '../../shared/net/ranges.ts'
import { hostSet, networkSet } from './address-sets.ts'
import { authorizationOrigin, portalOrigin, redirectedPort } from './authorization.ts'
import { fromInside, toInternet } from './compile-local-side.ts'
import type { AuthorizationStage, Policy } from './model.ts'
import {
  addresses,
  changeSet,
  concatenate,
  goTo,
  inSet,
  jump,
  mac as macOf,
  type Nft,
  numbers,
  rule,
  sentence,
  target,
  words,
} from './nft.ts'

const host = words('ip saddr')
const card = words('ether saddr')
const pair = concatenate(host, card)
const cardHere = concatenate(card, words('iifname'))
const seen = concatenate(pair, words('iifname'))
const back = words('return')

const hourSeconds = 3600
/** So long after its last packet a card may come back with another address. */
const cardSeconds = 60

const keys: Readonly<Record<LiveKey, Nft>> = { host, pair, seen }

/** Everything that local hosts send is looked at, before anything lets it through. */
export const authorizationSeen = ({ authorization }: Policy): Nft[] =>
  authorization === null ? [] : [rule(authorizationOrigin, fromInside, jump('auth_seen'))]

/** New connections to external networks. */
export const authorizationGate = ({ authorization }: Policy): Nft[] =>
  authorization?.isEnforced
    ? [rule(authorizationOrigin, fromInside, inSet(words('oifname'), 'if_external'), jump('auth_gate'))]
    : []

/** Behind the user's DNAT rules, which may so except a host. */
export const authorizationRedirect = ({ authorization }: Policy): Nft[] =>
  authorization?.isEnforced && authorization.portalPort !== null
    ? [rule(portalOrigin, fromInside, toInternet, words(`tcp dport ${redirectedPort}`), jump('auth_portal'))]
    : []

export function authorizationPieces({ authorization: stage }: Policy): NftPiece[] {
  if (stage === null) return []
  const { isEnforced, portalPort } = stage
  return [
    ...ruleSets(stage),
    ...liveSetPieces,
    chain('auth_seen', noticing(stage, sentence(inSet(words('oifname'), 'if_external', true), back))),
    ...(isEnforced ? [chain('auth_gate', admitting), chain('auth_refused', refusing)] : []),
    ...(isEnforced && portalPort !== null ? [chain('auth_portal', redirecting(portalPort))] : []),
  ]
}

const chain = (name: string, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'chain', name, head: '', lines, origin: '' })

/**
 * The route to the sender leads back to the device that the packet came in by. Who has the same card and address in another
 * segment is someone else.
 */
const comesFromThere = words('fib saddr . iif oif exists')

/** Another host with an address that a rule binds to a card. */
const isSpoofed: readonly Nft[] = [
  sentence(inSet(host, 'auth_bound'), inSet(pair, 'auth_rule_pairs', true)),
  sentence(inSet(host, 'auth_bound'), words('fib saddr . iif oif missing')),
]

const bySessionOfCard = sentence(inSet(pair, 'auth_pairs'), comesFromThere)

/** A card has one address in a segment while it is in use, so that a copy of it does not get in with another one. */
const byCard = sentence(inSet(card, 'auth_rule_macs'), inSet(cardHere, 'auth_cards', true), comesFromThere)

/** `elsewhere` leaves out what is not for an external network. */
export function noticing({ idleSeconds, notesUnknown }: AuthorizationStage, elsewhere: Nft): Nft[] {
  const extend = (set: LiveSetName): Nft => changeSet('update', set, keys[liveSets[set]], idleSeconds)
  const useCard = changeSet('update', 'auth_cards', cardHere, cardSeconds)
  // First the note for gatewayd: what could not be noted does not get in.
  const enter = (set: LiveSetName): Nft =>
    sentence(changeSet('add', 'auth_new', seen, hourSeconds), changeSet('add', set, keys[liveSets[set]], idleSeconds))
  return [
    ...isSpoofed.map((condition) => rule(authorizationOrigin, condition, words('counter drop'))),
    ...(elsewhere === '' ? [] : [elsewhere]),
    sentence(words('meta nfproto ipv6'), back),
    sentence(bySessionOfCard, extend('auth_pairs'), useCard, back),
    sentence(inSet(host, 'auth_hosts'), extend('auth_hosts'), back),
    sentence(inSet(host, 'auth_suspended'), back),
    sentence(inSet(pair, 'auth_rule_pairs'), enter('auth_pairs'), back),
    sentence(inSet(host, 'auth_rule_hosts'), enter('auth_hosts'), back),
    sentence(byCard, enter('auth_pairs'), useCard, back),
    sentence(inSet(host, 'auth_net_hosts'), inSet(host, 'auth_rule_nets'), extend('auth_net_hosts'), back),
    sentence(inSet(host, 'auth_rule_nets'), enter('auth_net_hosts'), back),
    // Also while everyone is allowed. Answers to connections from outside make no host known.
    ...(notesUnknown ? [sentence(words('ct state new'), changeSet('add', 'auth_unknown', seen, hourSeconds))] : []),
  ]
}

/** Who is authorized now, once what it sent was noticed. */
export const isKnownHost: readonly Nft[] = [
  bySessionOfCard,
  inSet(host, 'auth_hosts'),
  inSet(host, 'auth_net_hosts'),
  inSet(host, 'auth_rule_nets'),
]

/** Where the card is not known: who must wait is refused. */
export const gateByHost: readonly Nft[] = [sentence(inSet(host, 'auth_suspended'), goTo('auth_refused'))]

const admitting: readonly Nft[] = [
  sentence(inSet(host, 'auth_suspended'), goTo('auth_refused')),
  ...isKnownHost.map((condition) => sentence(condition, back)),
  goTo('auth_refused'),
]

const refusing: readonly Nft[] = [
  rule(authorizationOrigin, words('meta l4proto tcp counter reject with tcp reset')),
  rule(authorizationOrigin, words('counter reject with icmpx admin-prohibited')),
]

/** Comes before the forward chain, which makes rules into sessions: so the rules are looked at as well. */
function redirecting(port: number): Nft[] {
  const redirect = sentence(words('meta l4proto tcp counter redirect'), target(null, numbers(port, port)))
  return [
    ...isSpoofed.map((condition) => sentence(condition, back)),
    rule(portalOrigin, inSet(host, 'auth_suspended'), redirect),
    ...[...isKnownHost, inSet(pair, 'auth_rule_pairs'), inSet(host, 'auth_rule_hosts'), byCard].map((condition) =>
      sentence(condition, back),
    ),
    rule(portalOrigin, redirect),
  ]
}

const types: Readonly<Record<LiveKey, string>> = {
  host: 'ipv4_addr',
  pair: 'ipv4_addr . ether_addr',
  seen: 'ipv4_addr . ether_addr . ifname',
}

/** The head never changes, so that the elements outlive every change of settings. */
const liveSet = (name: string, type: string): NftPiece => {
  const head = words(`type ${type}; flags dynamic,timeout; size 65535;`)
  return makePiece({ kind: 'set', name, head, lines: [], origin: '' })
}

const liveSetPieces: readonly NftPiece[] = [
  ...Object.entries(liveSets).map(([name, key]) => liveSet(name, types[key])),
  liveSet('auth_cards', 'ether_addr . ifname'),
]

const ruleSets = ({ hosts, networks, pairs, macs }: AuthorizationStage): NftPiece[] => [
  hostSet('auth_rule_hosts', hosts),
  networkSet('auth_rule_nets', networks),
  ...pairSets(pairs),
  cardSet(macs),
]

type Pairs = AuthorizationStage['pairs']

/** By the list, which stays the same one while the rules do. */
const madePairs = new WeakMap<Pairs, readonly NftPiece[]>()
const madeCards = new WeakMap<readonly string[], NftPiece>()

function pairSets(pairs: Pairs): readonly NftPiece[] {
  const known = madePairs.get(pairs)
  if (known) return known
  const sorted = pairs.toSorted((a, b) => a.address - b.address || (a.mac < b.mac ? -1 : 1))
  const lines = sorted.map(({ address, mac }) => concatenate(addresses(address, address), macOf(mac)))
  const bound: Ranges = [...new Set(sorted.map(({ address }) => address))].flatMap((address) => [address, address])
  const head = words('type ipv4_addr . ether_addr;')
  const made = [
    makePiece({ kind: 'set', name: 'auth_rule_pairs', head, lines, origin: '' }),
    hostSet('auth_bound', bound),
  ]
  madePairs.set(pairs, made)
  return made
}

function cardSet(macs: readonly string[]): NftPiece {
  const head = words('type ether_addr;')
  const lines = macs.toSorted().map(macOf)
  const made = madeCards.get(macs) ?? makePiece({ kind: 'set', name: 'auth_rule_macs', head, lines, origin: '' })
  madeCards.set(macs, made)
  return made
}
