// Random policies and packets from a small network, so that rules overlap often: for tests that compare the evaluator,
// hygiene and the kernel. The same seed gives the same policy.

import type { Routing } from '../../src/domain/policy/evaluate-routing.ts'
import type { Packet } from '../../src/domain/policy/evaluate-trace.ts'
import {
  type AccessStage,
  type Action,
  type AddressMatch,
  emptyPolicy,
  type GuardedPort,
  type HardwareFilter,
  type LoggedAction,
  type OpenService,
  type OutsideService,
  type Policy,
  type PolicyRule,
  type ProtocolName,
  type RuleTable,
  type Span,
} from '../../src/domain/policy/model.ts'
import { readAddresses } from '../../src/shared/net/address-list.ts'
import { parseAddress, printAddress, printSpan } from '../../src/shared/net/ipv4.ts'
import { type Ranges, toRanges } from '../../src/shared/net/ranges.ts'

export interface World {
  readonly now: number
  /** Where packets come from, by device. */
  readonly sources: Readonly<Record<string, readonly string[]>>
  /** Where they go: behind the gateway and the gateway itself. */
  readonly destinations: readonly string[]
  /** What DNAT may translate to. */
  readonly targets: readonly string[]
  /** What SNAT may translate to. */
  readonly pools: readonly string[]
  readonly own: readonly string[]
  readonly routes: Routing['routes']
  readonly external: readonly string[]
  readonly protocols: readonly ProtocolName[]
  readonly ports: readonly number[]
}

export type Random = () => number

/** Mulberry32: small, and good enough to draw samples. */
export function makeRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const chance = (random: Random, share: number): boolean => random() < share
const upTo = (random: Random, most: number): number => 1 + Math.floor(random() * most)
const numberOf = (text: string): number => parseAddress(text) as number

/** The most rules of each table. */
export interface Sizes {
  readonly forward: number
  readonly input: number
  readonly dnat: number
  readonly snat: number
  readonly log: number
  /** How often a condition is `any`; a low rate makes long tables in which late rules decide. */
  readonly anyShare?: number
  /** How often addresses are a list of hosts, or of hosts and networks; 0 unless given. */
  readonly listShare?: number
  /** How often a list of addresses also names users and groups; 0 unless given. */
  readonly memberShare?: number
}

export function drawPolicy(random: Random, world: World, sizes: Sizes): Policy {
  const draw = makeDraw(random, world, sizes.anyShare ?? 0.5, sizes.listShare ?? 0, sizes.memberShare ?? 0)
  const rules = (table: RuleTable) =>
    Array.from({ length: Math.floor((1 - random() ** 2) * (sizes[table] + 1)) }, (_, at) => draw.rule(table, at + 1))
  return {
    ...emptyPolicy,
    rules: {
      forward: rules('forward'),
      input: rules('input'),
      dnat: rules('dnat'),
      snat: rules('snat'),
      log: rules('log'),
    },
    access: chance(random, 0.3) ? draw.access() : null,
    hardware: chance(random, 0.15) ? draw.hardware() : null,
    hasAutomaticSnat: chance(random, 0.7),
    externalDevices: world.external,
    devices: Object.keys(world.sources),
    services: chance(random, 0.3) ? [draw.service('one'), draw.service('two')] : [],
    outsideServices: chance(random, 0.5) ? draw.outsideServices() : [],
    guardedPorts: chance(random, 0.4) ? draw.guardedPorts() : [],
    ownAddresses: world.own.map(numberOf),
    countsHits: true,
    loggedActions: loggedActions.filter(() => chance(random, 0.6)),
    isBlocked: chance(random, 0.03),
  }
}

const loggedActions: readonly LoggedAction[] = ['accept', 'drop', 'reject', 'dnat', 'snat', 'mark_log', 'mark_not_log']

/** Hosts that no packet comes from or goes to. */
const otherHosts = Array.from({ length: 1100 }, (_, at) => printAddress(0x64_40_00_00 + 3 * at))

/** A user is in a group, and all groups are in the topmost one. */
export const sampleMembers = ['user.id.1', 'user.id.2', 'group.id.1', 'group.id.3', 'group.id.4'] as const

function makeDraw(random: Random, world: World, anyShare: number, listShare: number, memberShare: number) {
  const names = new Map<string, string>()
  /** The same content has the same name, as the policy's own keys have. */
  const keyOf = (content: unknown): string => {
    const text = JSON.stringify(content)
    const key = names.get(text) ?? `k${names.size}`
    names.set(text, key)
    return key
  }
  const addresses = (from: readonly string[]): AddressMatch | null => {
    const match = listed(from)
    if (memberShare === 0 || match === null || !chance(random, memberShare)) return match
    const ids = sampleMembers.filter(() => chance(random, 0.3))
    const members = ids.length > 0 ? ids : [pick(random, sampleMembers)]
    return chance(random, 0.4) ? { ...match, key: keyOf('none'), ranges: [], members } : { ...match, members }
  }
  const listed = (from: readonly string[]): AddressMatch | null => {
    if (chance(random, 0.8 * anyShare)) return null
    if (listShare > 0 && chance(random, listShare)) return addressList(from)
    const ranges = spansAround(random, from.map(numberOf), upTo(random, chance(random, 0.2) ? 8 : 2), 4)
    return { key: keyOf(ranges), ranges, isNegated: chance(random, anyShare / 2) }
  }
  /** Neighbours among the hosts, networks beside them, few entries and many. */
  const addressList = (from: readonly string[]): AddressMatch => {
    const hosts = from.filter(() => chance(random, 0.6))
    const next = hosts.map((host) => printAddress(numberOf(host) + 1)).filter(() => chance(random, 0.3))
    const near = spansAround(random, from.map(numberOf), 2, 4)
    const networks = chance(random, 0.5) ? [] : [printSpan(near[0] as number, near[1] as number)]
    const texts = [...hosts, ...next, ...networks, ...otherHosts.slice(0, chance(random, 0.5) ? 10 : 1100)]
    return { key: keyOf(texts), ranges: readAddresses(texts).ranges, isNegated: chance(random, 0.4) }
  }
  const ports = () => {
    if (chance(random, 1.2 * anyShare)) return null
    const ranges = spansAround(random, world.ports, upTo(random, 3), 3)
    return { key: keyOf(ranges), ranges }
  }
  const devices = (from: readonly string[]) => {
    if (chance(random, 0.7)) return null
    const chosen = from.filter(() => chance(random, 0.6))
    return { key: keyOf(chosen), devices: chosen }
  }
  const times = () => {
    if (chance(random, 0.8)) return null
    const { now } = world
    const day = 86_400
    const ranges = pick(random, [
      [now - day, now + day],
      [now - 9 * day, now - day, now + day, now + 9 * day],
      [now - 9 * day, now - 8 * day, now - day, now + 2 * day, now + 3 * day, now + 4 * day],
    ])
    return { key: keyOf(ranges), ranges }
  }
  const inside = Object.keys(world.sources)
  const outside = [...new Set(world.routes.map(({ device }) => device))]
  const everySource = Object.values(world.sources).flat()

  const service = (name: string): OpenService => ({
    name,
    way: 'input',
    protocol: pick(random, ['tcp', 'udp'] as const),
    devices: chance(random, 0.5) ? inside.filter(() => chance(random, 0.6)) : null,
    peers: chance(random, 0.4) ? everySource.filter(() => chance(random, 0.5)).map(numberOf) : null,
    sourcePort: chance(random, 0.1) ? pick(random, world.ports) : null,
    destinationPort: pick(random, world.ports),
  })

  const outsideServices = (): OutsideService[] => {
    const peers = [...world.external.flatMap((device) => world.sources[device] ?? [])].slice(0, 2).map(numberOf)
    const port = pick(random, world.ports)
    return [
      { name: 'agent', title: 'client agent', protocol: 'tcp', destinationPort: port, peers: null },
      { name: 'near', title: 'service for two', protocol: 'udp', destinationPort: port, peers },
    ]
  }

  const rule = (table: RuleTable, id: number): PolicyRule => {
    const action = drawAction(random, world, table)
    const needsPorts = action.kind === 'dnat' && action.ports !== null
    const protocol = needsPorts ? pick(random, ['tcp', 'udp'] as const) : drawProtocol(random, world, anyShare)
    const hasPorts = protocol === 'tcp' || protocol === 'udp'
    return {
      id,
      table,
      origin: `firewall.${table}[${id}]`,
      protocol,
      source: addresses(everySource),
      destination: addresses([...world.destinations, ...(table === 'dnat' || table === 'log' ? [] : world.targets)]),
      sourcePorts: hasPorts && chance(random, 0.1) ? { key: keyOf([1, 40_000]), ranges: [1, 40_000] } : null,
      destinationPorts: hasPorts ? ports() : null,
      incoming: table === 'snat' ? null : devices(inside),
      outgoing: table === 'dnat' || table === 'input' ? null : devices(outside),
      holders: table === 'forward' && chance(random, 0.1) ? positive(addresses(everySource)) : null,
      times: times(),
      action,
    }
  }

  const access = (): AccessStage => ({
    bindings: Array.from({ length: upTo(random, 3) }, (_, at) => {
      const members = positive(addresses(everySource)) ?? { key: keyOf('none'), ranges: [], isNegated: false }
      const holders = members.members !== undefined && chance(random, 0.5) ? positive(listed(everySource)) : null
      const listKey = `list${at}`
      const entries = Array.from({ length: upTo(random, 6) }, () => {
        const protocol = chance(random, 0.4) ? null : pick(random, ['tcp', 'udp', 'icmp'] as const)
        const hasPorts = protocol === 'tcp' || protocol === 'udp'
        return {
          origin: `firewall.acl[${listKey}]`,
          protocol,
          source: network(random, everySource),
          destination: network(random, [...world.destinations, ...world.targets]),
          sourcePorts: null,
          destinationPorts: hasPorts && chance(random, 0.5) ? spanAround(random, world.ports, 3) : null,
          isAllowed: chance(random, 0.7),
        }
      })
      return { origin: `firewall.acl_order[${at}]`, members, ...(holders && { holders }), listKey, entries }
    }),
    isAllowedByDefault: chance(random, 0.7),
    isLogged: chance(random, 0.5),
  })

  const hardware = (): HardwareFilter => {
    const source = () => numberOf(pick(random, everySource))
    const destination = () => numberOf(pick(random, world.destinations))
    return pick<HardwareFilter>(random, [
      { mode: 'src-ip', entries: [source()] },
      { mode: 'dst-ip', entries: [destination()] },
      { mode: 'src-and-dst-ip', entries: [{ source: source(), destination: destination() }] },
    ])
  }
  const guardedPorts = (): GuardedPort[] => {
    const peers = Object.values(world.sources)
      .flat()
      .filter(() => chance(random, 0.5))
      .map(numberOf)
    return [
      {
        name: 'guarded',
        title: 'service for some',
        protocol: chance(random, 0.5) ? 'tcp' : 'udp',
        destinationPort: pick(random, world.ports),
        isOpenOutside: chance(random, 0.5),
        peers: toRanges(peers.map((one) => [one, one])),
      },
    ]
  }
  return { rule, access, hardware, service, outsideServices, guardedPorts }
}

const positive = (match: AddressMatch | null): AddressMatch | null => match && { ...match, isNegated: false }

function drawProtocol(random: Random, world: World, anyShare: number): ProtocolName | null {
  return chance(random, 0.6 * anyShare) ? null : pick(random, world.protocols)
}

function drawAction(random: Random, world: World, table: RuleTable): Action {
  if (table === 'log') return { kind: 'mark', isLogged: chance(random, 0.6) }
  if (table === 'forward' || table === 'input')
    return { kind: pick(random, ['accept', 'accept', 'accept', 'drop', 'drop', 'reject']) }
  if (chance(random, 0.2)) return { kind: 'accept' }
  if (table === 'snat') {
    const pool = numberOf(pick(random, world.pools))
    return { kind: 'snat', addresses: pick(random, [null, [pool, pool], [pool, pool + 2]]) }
  }
  const target = numberOf(pick(random, world.targets))
  const port = pick(random, world.ports)
  const addresses = pick<Span | null>(random, [null, [target, target], [target, target + 3]])
  const ports = pick<Span | null>(random, [null, [port, port], [port, port + 3]])
  return addresses === null && ports === null
    ? { kind: 'dnat', addresses: [target, target], ports }
    : { kind: 'dnat', addresses, ports }
}

function spanAround(random: Random, values: readonly number[], width: number): Span {
  const middle = pick(random, values)
  return [middle - Math.floor(random() * width), middle + Math.floor(random() * width)]
}

const spansAround = (random: Random, values: readonly number[], count: number, width: number): Ranges =>
  toRanges(Array.from({ length: count }, () => spanAround(random, values, width)))

function network(random: Random, values: readonly string[]): Span {
  const size = pick(random, [1, 2, 4, 8, 2 ** 32])
  const low = Math.floor(numberOf(pick(random, values)) / size) * size
  return [low, low + size - 1]
}

export function drawPacket(random: Random, world: World): Packet {
  const device = pick(random, Object.keys(world.sources))
  const protocol = pick(random, world.protocols)
  return {
    source: pick(random, world.sources[device] as readonly string[]),
    destination: pick(random, world.destinations),
    protocol,
    ...(protocol === 'tcp' || protocol === 'udp'
      ? {
          source_port: 20_000 + Math.floor(random() * 40_000),
          destination_port: pick(random, world.ports) + Math.floor(random() * 7) - 3,
        }
      : {}),
    incoming_interface: device,
    time: world.now,
  }
}

export const routingIn = (world: World): Routing => ({
  own: toRanges(world.own.map((text): Span => [numberOf(text), numberOf(text)])),
  routes: world.routes,
  ipv6: { own: [], device: null },
})

const lastOf = (base: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => printAddress(numberOf(base) + at))
const net = (base: string, size: number): Span => [numberOf(base), numberOf(base) + size - 1]

/** A gateway with two inside devices, one outside, and a network of servers behind the second inside device. */
export const sampleWorld = {
  now: 1_800_000_000,
  sources: { lan0: lastOf('10.66.0.11', 6), lan1: [...lastOf('10.66.1.11', 3), ...lastOf('203.0.113.11', 3)] },
  destinations: [...lastOf('192.0.2.10', 8), ...lastOf('10.66.2.10', 4), '10.66.0.1', '198.51.100.1'],
  targets: [...lastOf('10.66.2.12', 4), '192.0.2.12', '10.66.0.1'],
  pools: ['198.51.100.40', '198.51.100.60'],
  own: ['10.66.0.1', '10.66.1.1', '203.0.113.1', '10.66.2.1', '198.51.100.1'],
  routes: [
    { span: net('10.66.0.0', 256), device: 'lan0' },
    { span: net('10.66.1.0', 256), device: 'lan1' },
    { span: net('203.0.113.0', 256), device: 'lan1' },
    { span: net('10.66.2.0', 256), device: 'dmz0' },
    { span: net('0.0.0.0', 2 ** 32), device: 'wan0' },
  ],
  external: ['wan0'],
  protocols: ['tcp', 'udp', 'icmp'],
  ports: [53, 80, 443, 8080],
} as const satisfies World
