// Whose packet it is: the user at an address by a session or by an authorization rule, and the groups above. For questions about
// packets, which the evaluator answers. Pure.

import { invalid } from '../../core/contract/error.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Packet } from '../../domain/policy/evaluate-trace.ts'
import type { Span } from '../../domain/policy/model.ts'
import { parseAddress, parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import type { AuthorizationRule } from '../authorization/contract.ts'
import { authorizationRules } from '../authorization/public.ts'
import { findGroup, findUser, groupPath, userId } from '../users/public.ts'
import type { ExplainedPacket, PacketUser } from './contract-explain.ts'

/** What is asked of the sessions of users (areas/authorization/runs). */
export interface KnownSession {
  readonly id: string
  readonly userId: string
  readonly type: NonNullable<PacketUser['type']>
  /** An address; for `net` a network. */
  readonly address: string
  readonly mac: string | null
  readonly state: 'connected' | 'over_limit'
}

export interface KnownSessions {
  list(): readonly KnownSession[]
  ofUser(userId: string): readonly KnownSession[]
  /** Also one that waits; for a host without one, that of the network around it. */
  at(address: string): KnownSession | undefined
}

/** Plain data, because a worker may answer. */
export interface People {
  /** Where the packet comes from: as asked, or the address of a session. */
  readonly address: string
  readonly source: PacketUser | null
  readonly destination: PacketUser | null
  /** What the evaluator has to know; empty where nothing is known. */
  readonly fields: Pick<
    Packet,
    'sourceMembers' | 'destinationMembers' | 'authorization' | 'isBoundToCard' | 'sourceMac'
  >
  /** Users and groups of the packet by id, as `user.id.5 "Anna"`. */
  readonly titles: Readonly<Record<string, string>>
}

/** Who has sessions in a range of addresses that DNAT leads to. */
export type FindOthers = (span: Span) => Pick<People, 'titles'> & { readonly members: Members }
type Members = NonNullable<Packet['otherMembers']>

export function describeOthers(config: Config, found: Iterable<readonly [number, readonly string[]]>) {
  const members = Object.fromEntries([...found].map(([address, ids]) => [printAddress(address), ids]))
  return { members, titles: titlesOf(config, Object.values(members).flat()) }
}

const titlesOf = (config: Config, ids: readonly string[]): People['titles'] =>
  Object.fromEntries(ids.map((id) => [id, titled(config, id)]))

/** So many addresses are asked for one by one; for more, all sessions are looked at. */
const fewAddresses = 256

export function othersFinder(config: Config, sessions: KnownSessions): FindOthers {
  return ([low, high]) => {
    const addresses = Array.from({ length: Math.min(high - low + 1, fewAddresses + 1) }, (_, at) => low + at)
    const near =
      addresses.length > fewAddresses
        ? sessions.list()
        : addresses.flatMap((address) => sessions.at(printAddress(address)) ?? [])
    const hosts = near.flatMap(({ type, address: text, userId: id }) => {
      // Those of the other rules are in the policy.
      const address = type === 'web' || type === 'mac' ? parseAddress(text) : null
      return address === null || address < low || address > high ? [] : [[address, membersOf(config, id)] as const]
    })
    return describeOthers(config, hosts)
  }
}

type Asked = Pick<ExplainedPacket, 'source' | 'destination' | 'user'>

export function findPeople(config: Config, sessions: KnownSessions, asked: Asked): People {
  const sender = asked.user === undefined ? null : senderOf(config, sessions, asked.user, asked.source)
  const address = asked.source ?? sender?.address
  if (address === undefined) throw invalid('packet.source', say`A packet needs a source address, a user or both.`)
  const found = sender?.found ?? hostAt(config, sessions, address)
  const target = hostAt(config, sessions, asked.destination)
  const sourceMembers = membersOf(config, found.user?.user_id)
  const destinationMembers = membersOf(config, target.user?.user_id)
  const { authorization, mac } = found
  return {
    address,
    source: found.user,
    destination: target.user,
    fields: {
      sourceMembers,
      destinationMembers,
      authorization,
      ...(mac === null ? {} : { sourceMac: mac, isBoundToCard: true }),
    },
    titles: titlesOf(config, [...sourceMembers, ...destinationMembers]),
  }
}

interface Host {
  readonly user: PacketUser | null
  readonly authorization: NonNullable<Packet['authorization']>
  readonly mac: string | null
}

/** The user that was asked for, as if they were at the source; without one, at an address they have now. */
function senderOf(
  config: Config,
  sessions: KnownSessions,
  asked: string | number,
  source: string | undefined,
): { readonly address: string; readonly found: Host } {
  const id = `${asked}`.startsWith('user.') ? `${asked}` : userId(asked)
  const user = findUser(config, id)
  if (!user) throw invalid('packet.user', say`There is no user ${id}.`)
  const own = sessions.ofUser(id)
  const session = source === undefined ? usual(own) : own.find((one) => sessions.at(source)?.id === one.id)
  const address = source ?? (session && hostOf(session.address))
  if (address === undefined)
    throw invalid(
      'packet.user',
      say`${titled(config, id)} has no session now. Send the address of a host as the source.`,
    )
  // A user who is denied access is never authorized, whatever the address.
  const authorization = user.enabled ? 'none' : session?.state === 'over_limit' ? 'suspended' : 'session'
  return { address, found: { user: shownUser(config, id, session), authorization, mac: session?.mac ?? null } }
}

/** A connected one before one that waits, and a host before a network. */
const usual = (own: readonly KnownSession[]): KnownSession | undefined =>
  own.find(({ state, type }) => state === 'connected' && type !== 'net') ??
  own.find(({ state }) => state === 'connected') ??
  own[0]

/** The first host of a network. */
function hostOf(address: string): string {
  if (!address.includes('/')) return address
  const network = parseNetwork(address)
  if (network === null) return address
  return printAddress(network.high > network.low ? network.low + 1 : network.low)
}

function hostAt(config: Config, sessions: KnownSessions, address: string): Host {
  const session = sessions.at(address)
  const { rule, isHosts } = ruleFor(config, address)
  // A host with a rule of its own is not one of the network around it.
  if (session && !(session.type === 'net' && isHosts)) {
    const authorization = session.state === 'over_limit' ? 'suspended' : 'session'
    return { user: shownUser(config, session.userId, session), authorization, mac: session.mac }
  }
  if (!rule) return { user: null, authorization: 'none', mac: null }
  const type = rule.mac === null ? (isHosts ? 'ip' : 'net') : 'ip_mac'
  const user = shownUser(config, userId(rule.user_id), undefined)
  return { user: user && { ...user, type }, authorization: 'rule', mac: rule.mac }
}

/** The rule that authorizes the address, and whether rules name it alone: then the network around it does not count. */
function ruleFor(config: Config, text: string): { readonly rule?: AuthorizationRule | undefined; isHosts: boolean } {
  const address = parseAddress(text)
  if (address === null) return { isHosts: false }
  const all = read(config, authorizationRules).filter(({ enabled, ip }) => enabled && ip !== null && isFor(ip, address))
  const isAllowed = ({ user_id }: AuthorizationRule): boolean => findUser(config, userId(user_id))?.enabled === false
  const hosts = all.filter(({ ip }) => !ip?.includes('/'))
  const allowed = hosts.filter(isAllowed)
  if (hosts.length > 0) return { rule: allowed.find(({ mac }) => mac !== null) ?? allowed[0], isHosts: true }
  const network = all.find(({ mac }) => mac === null)
  return { rule: network && isAllowed(network) ? network : undefined, isHosts: false }
}

function isFor(ip: string, address: number): boolean {
  if (!ip.includes('/')) return parseAddress(ip) === address
  const network = parseNetwork(ip)
  return network !== null && network.low <= address && address <= network.high
}

function shownUser(config: Config, id: string, session: KnownSession | undefined): PacketUser | null {
  const user = findUser(config, id)
  if (!user) return null
  const { login, name } = user
  return { user_id: id, login, name, session_id: session?.id ?? null, type: session?.type ?? null }
}

/** The user and every group above. */
export function membersOf(config: Config, id: string | undefined): readonly string[] {
  const user = id === undefined ? undefined : findUser(config, id)
  return user ? [user.id, ...groupPath(config, user.parent_id)] : []
}

function titled(config: Config, id: string): string {
  const name = (findUser(config, id) ?? findGroup(config, id))?.name
  return name === undefined ? id : `${id} "${name}"`
}
