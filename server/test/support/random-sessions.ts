// Random sessions of users and random authorization rules, for tests that compare the evaluator and the kernel: what is in
// the sets of the kernel, and the same as the evaluator is given it.

import type { NftTable } from '../../src/core/plan/artifacts.ts'
import { memberSetOf } from '../../src/core/plan/live-sets.ts'
import type { Packet } from '../../src/domain/policy/evaluate-trace.ts'
import type { LocalSide } from '../../src/domain/policy/local-side.ts'
import type { AuthorizationStage, Span } from '../../src/domain/policy/model.ts'
import { parseAddress } from '../../src/shared/net/ipv4.ts'
import { toRanges } from '../../src/shared/net/ranges.ts'
import { pick, type Random, sampleMembers, type World } from './random-policy.ts'

/** Who is where: ids of a user and of all groups above, by address. */
export type Sessions = Readonly<Record<string, readonly string[]>>

const paths = [
  ['user.id.1', 'group.id.3', 'group.id.1'],
  ['user.id.2', 'group.id.4', 'group.id.3', 'group.id.1'],
  ['user.id.9', 'group.id.1'],
] as const

export const drawSessions = (random: Random, world: World): Sessions =>
  Object.fromEntries(
    [...Object.values(world.sources).flat(), ...world.destinations, ...world.targets]
      .filter(() => random() < 0.4)
      .map((address) => [address, pick(random, paths)]),
  )

/** What the kernel knows of hosts beyond the rules. */
export interface KnownHosts {
  readonly hosts: readonly string[]
  readonly pairs: readonly (readonly [address: string, mac: string])[]
  readonly networkHosts: readonly string[]
  readonly suspended: readonly string[]
}

export const noHosts: KnownHosts = { hosts: [], pairs: [], networkHosts: [], suspended: [] }

export type Cards = Readonly<Record<string, string>>

const otherCard = '02:00:00:00:ff:ff'
const numberOf = (text: string): number => parseAddress(text) as number

/** `cards`: the card of each device. With a rule for a card, its device must have one address only. */
export function drawStage(
  random: Random,
  world: World,
  side: LocalSide,
  cards: Cards,
  hasCardRules: boolean,
): { readonly stage: AuthorizationStage; readonly known: KnownHosts } {
  const chance = (share: number): boolean => random() < share
  const all = side.local.flatMap(({ device }) => (world.sources[device] ?? []).map((address) => ({ address, device })))
  const some = (share: number): string[] => all.filter(() => chance(share)).map(({ address }) => address)
  const withCard = (share: number): [string, string][] =>
    all
      .filter(() => chance(share))
      .map(({ address, device }) => [address, chance(0.6) ? (cards[device] as string) : otherCard])
  const host = (address: string): Span => [numberOf(address), numberOf(address)]
  const twoAround = (address: string): Span => {
    const low = numberOf(address) - (numberOf(address) % 2)
    return [low, low + 1]
  }
  const stage: AuthorizationStage = {
    isEnforced: chance(0.8),
    side,
    hosts: toRanges(some(0.2).map(host)),
    networks: toRanges(some(0.15).map(twoAround)),
    pairs: withCard(0.25).map(([address, mac]) => ({ address: numberOf(address), mac })),
    macs: hasCardRules ? Object.values(cards).filter(() => chance(0.6)) : [],
    idleSeconds: 900,
    portalPort: chance(0.7) ? 8085 : null,
    notesUnknown: chance(0.5),
  }
  return { stage, known: { hosts: some(0.15), pairs: withCard(0.15), networkHosts: some(0.1), suspended: some(0.15) } }
}

/** Fills the live sets that the tables declare. */
export function fillScript(tables: readonly NftTable[], sessions: Sessions, known: KnownHosts): string {
  const declared = new Set(tables.flatMap(({ pieces }) => pieces.map(({ name }) => name)))
  const members = sampleMembers.map((id): [string, string[]] => [
    memberSetOf(id),
    Object.entries(sessions).flatMap(([address, ids]) => (ids.includes(id) ? [address] : [])),
  ])
  const sets: [string, readonly string[]][] = [
    ...members,
    ['auth_hosts', known.hosts],
    ['auth_pairs', known.pairs.map(([address, mac]) => `${address} . ${mac}`)],
    ['auth_net_hosts', known.networkHosts],
    ['auth_suspended', known.suspended],
  ]
  return sets
    .filter(([name, elements]) => declared.has(name) && elements.length > 0)
    .map(([name, elements]) => `add element inet portcullis ${name} { ${elements.join(', ')} }\n`)
    .join('')
}

/** The packet with what the sessions say of it. */
export function withSessions<P extends Packet>(packet: P, sessions: Sessions, known: KnownHosts, cards: Cards): P {
  const { source, destination, incoming_interface } = packet
  const mac = cards[incoming_interface ?? '']
  const has = (list: readonly string[]): boolean => list.includes(source)
  const isPair = known.pairs.some(([address, card]) => address === source && card === mac)
  const isHost = has(known.hosts) || has(known.networkHosts)
  const authorization = has(known.suspended) ? 'suspended' : isPair || isHost ? 'session' : 'none'
  return {
    ...packet,
    ...(sessions[source] && { sourceMembers: sessions[source] }),
    ...(sessions[destination] && { destinationMembers: sessions[destination] }),
    otherMembers: sessions,
    authorization,
    isBoundToCard: !isHost,
    ...(mac !== undefined && { sourceMac: mac }),
  }
}
