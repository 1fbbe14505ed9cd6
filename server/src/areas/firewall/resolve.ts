// What the stored rules mean: objects, zones and times resolved into the Policy that compiler, evaluator and hygiene read.
// A rule whose meaning did not change keeps its PolicyRule, so that nothing is compiled again for it. Pure but for that
// memory.

import { pathOf } from '../../model/paths.ts'
import { findRuns, isSameList, mapRuns } from '../../model/runs.ts'
import { type Config, commonEnds, read, type Slot } from '../../model/slots.ts'
import { everyAddress, highestAddress, parseAddress, parseNetwork, parseSpan } from '../../net/ipv4.ts'
import { invert, type Ranges, unite } from '../../net/ranges.ts'
import type { Facts } from '../../plan/facts.ts'
import {
  type AccessBinding,
  type AccessStage,
  type Action,
  type AddressMatch,
  type HardwareFilter,
  type InterfaceMatch,
  type LoggedAction,
  ownTraffic,
  type Policy,
  type PolicyRule,
  type PortMatch,
  type ProtocolName,
  type RuleTable,
  type Span,
  type TimeMatch,
} from '../../policy/model.ts'
import { digest } from '../../render/digest.ts'
import { dnsStage } from '../dns/public.ts'
import { aggregated, connections, devicesOf, externalDevices, ownAddresses, tunnels } from '../network/public.ts'
import { addressesOf, objectKinds, portsOf, timesOf, unresolvedNames } from '../objects/public.ts'
import * as slots from './config.ts'
import { type AccessEntry, logActions, type Rule } from './contract.ts'
import { closedServicePorts, openServices, outsideServices } from './services.ts'

/** Everything beside a rule itself that its meaning depends on; `objects` is the same list while none of it changed. */
interface World {
  readonly config: Config
  readonly facts: Facts
  readonly objects: readonly unknown[]
  /** What equal lists of objects mean, once for all rules that are resolved together. */
  readonly matches: Map<string, AddressMatch | PortMatch>
}

export function policyOf(config: Config, facts: Facts): Policy {
  const world = worldOf(config, facts)
  const isEnabled = read(config, slots.state).enabled
  const { automatic_snat_enabled, log_mode, log_actions } = read(config, slots.settings)
  const rules = (table: RuleTable): readonly PolicyRule[] => (isEnabled ? rulesOf(world, table) : [])
  return {
    rules: {
      forward: rules('forward'),
      input: rules('input'),
      dnat: rules('dnat'),
      snat: rules('snat'),
      log: rules('log'),
    },
    access: isEnabled ? accessOf(world) : null,
    hardware: isEnabled ? hardwareOf(config) : null,
    hasAutomaticSnat: automatic_snat_enabled,
    externalDevices: externalDevices(config, facts),
    devices: facts.interfaces.map(({ name }) => name),
    services: openServices(config, facts),
    closedPorts: closedServicePorts,
    outsideServices: outsideServices(config, facts),
    ownAddresses: ownAddresses(config, facts),
    countsHits: read(config, slots.watch).enabled,
    loggedActions: loggedActions(log_mode, log_actions),
    isBlocked: read(config, slots.block).blocked,
    dns: dnsStage(config, facts),
  }
}

function loggedActions(mode: string, selected: readonly LoggedAction[]): readonly LoggedAction[] {
  if (mode === 'nothing') return []
  const chosen: readonly LoggedAction[] = mode === 'all' ? logActions : selected
  // The setting does not know rejections (docs/behaviour/firewall.md 5): they are a kind of drop.
  return chosen.includes('drop') ? [...chosen, 'reject'] : chosen
}

/** Slots of other areas that give rules their meaning. */
export const foreignSlots: readonly Slot[] = [...objectKinds.map(({ slot }) => slot), connections, tunnels, aggregated]

let lastObjects: readonly unknown[] = []
function worldOf(config: Config, facts: Facts): World {
  const values = [facts, ...foreignSlots.map((slot) => config[slot.key])]
  if (values.length !== lastObjects.length || values.some((value, at) => value !== lastObjects[at]))
    lastObjects = values
  return { config, facts, objects: lastObjects, matches: new Map() }
}

interface Resolved {
  readonly objects: World['objects']
  readonly rule: PolicyRule
}
const resolved = new WeakMap<Rule, Resolved>()

interface ResolvedTable {
  readonly stored: readonly Rule[]
  readonly objects: World['objects']
  /** For each stored rule; null for those that are disabled. */
  readonly meanings: readonly (PolicyRule | null)[]
  readonly rules: readonly PolicyRule[]
}
/** By the stored list, so that questions about an unchanged configuration do not walk ten thousand rules first. */
const resolvedTables = new WeakMap<readonly Rule[], ResolvedTable>()
/** The last one of each table: the next one mostly differs in one or two rules. */
const lastTables = new Map<RuleTable, ResolvedTable>()

function rulesOf(world: World, table: RuleTable): readonly PolicyRule[] {
  const stored = read(world.config, slots.ruleSlots[table])
  const known = resolvedTables.get(stored)
  if (known?.objects === world.objects) return known.rules
  const last = lastTables.get(table)
  const old = last?.objects === world.objects ? last : undefined
  const meanings = mapRuns(stored.length, findRuns(stored, old?.stored ?? []), old?.meanings ?? [], (at) => {
    const rule = stored[at] as Rule
    return rule.enabled ? resolveRule(world, table, rule) : null
  })
  const found = meanings.includes(null) ? meanings.filter((rule) => rule !== null) : (meanings as readonly PolicyRule[])
  const rules = last !== undefined && isSameList(last.rules, found) ? last.rules : found
  const resolvedTable = { stored, objects: world.objects, meanings, rules }
  resolvedTables.set(stored, resolvedTable)
  lastTables.set(table, resolvedTable)
  return rules
}

function resolveRule(world: World, table: RuleTable, rule: Rule): PolicyRule {
  const known = resolved.get(rule)
  if (known?.objects === world.objects) return known.rule
  const fresh = ruleOf(world, table, rule)
  const kept = known && isSame(known.rule, fresh) ? known.rule : fresh
  resolved.set(rule, { objects: world.objects, rule: kept })
  return kept
}

/** Resolution gives identical ranges and devices while nothing behind them changed, so a shallow look is enough. */
function isSame(a: PolicyRule, b: PolicyRule): boolean {
  return (
    sameMatch(a.source, b.source) &&
    sameMatch(a.destination, b.destination) &&
    sameNames(a.source, b.source) &&
    sameNames(a.destination, b.destination) &&
    sameMatch(a.sourcePorts, b.sourcePorts) &&
    sameMatch(a.destinationPorts, b.destinationPorts) &&
    sameMatch(a.holders, b.holders) &&
    sameMatch(a.times, b.times) &&
    sameDevices(a.incoming, b.incoming) &&
    sameDevices(a.outgoing, b.outgoing) &&
    JSON.stringify(a.action) === JSON.stringify(b.action)
  )
}

const sameMatch = (a: { readonly ranges: Ranges } | null, b: { readonly ranges: Ranges } | null): boolean =>
  a?.ranges === b?.ranges

const sameNames = (a: AddressMatch | null, b: AddressMatch | null): boolean =>
  a?.unresolved?.join(' ') === b?.unresolved?.join(' ')

const sameDevices = (a: InterfaceMatch | null, b: InterfaceMatch | null): boolean =>
  a === b || a?.devices.join(' ') === b?.devices.join(' ')

function ruleOf(world: World, table: RuleTable, rule: Rule): PolicyRule {
  const isForward = table === 'forward'
  const profiles = rule.hip_profiles ?? []
  return {
    id: rule.id,
    table,
    origin: pathOf(slots.ruleSlots[table], rule.id),
    protocol: rule.protocol === 'any' ? null : (rule.protocol.replace('protocol.', '') as ProtocolName),
    source: addressMatch(world, rule.source_addresses, rule.source_addresses_negate),
    destination: addressMatch(world, rule.destination_addresses, rule.destination_addresses_negate),
    sourcePorts: portMatch(world, rule.source_ports),
    destinationPorts: portMatch(world, rule.destination_ports),
    incoming: interfaceMatch(world, rule.incoming_interface),
    // Spec gap (docs/behaviour/firewall.md 2): INPUT rules store these two, but do not use them.
    outgoing: table === 'input' ? null : interfaceMatch(world, rule.outgoing_interface),
    holders: isForward && profiles.length > 0 ? addressMatch(world, profiles, false) : null,
    times: timeMatch(world, rule.timetable),
    action: actionOf(world, rule),
  }
}

const isAny = (ids: readonly string[]): boolean => ids.includes('any')

/** A name for the kernel: readable for one object, a digest for several. */
const keyOf = (ids: readonly string[]): string => {
  const [first = ''] = ids
  const readable = first.replaceAll(/[^a-z0-9]/g, '_')
  return ids.length === 1 && readable.length <= 40 && /^[a-z]/.test(readable)
    ? readable
    : `l_${digest(ids.toSorted().join(' ')).slice(0, 24)}`
}

function shareMatch<M extends AddressMatch | PortMatch>({ matches }: World, name: string, make: () => M): M {
  const match = (matches.get(name) as M | undefined) ?? make()
  matches.set(name, match)
  return match
}

function addressMatch(world: World, ids: readonly string[], isNegated: boolean): AddressMatch | null {
  if (isAny(ids)) return null
  const { config, facts } = world
  return shareMatch(world, `${isNegated ? 'not' : 'in'} ${ids.join(' ')}`, () => {
    const unresolved = unresolvedNames(config, facts, ids)
    const lacking = unresolved.length > 0 ? { unresolved } : {}
    return { key: keyOf(ids), ranges: addressesOf(config, facts, ids), isNegated, ...lacking }
  })
}

const portMatch = (world: World, ids: readonly string[]): PortMatch | null =>
  isAny(ids)
    ? null
    : shareMatch(world, `ports ${ids.join(' ')}`, () => ({ key: keyOf(ids), ranges: portsOf(world.config, ids) }))

function timeMatch(world: World, ids: readonly string[]): TimeMatch | null {
  const ranges = timesOf(world.config, world.facts, ids)
  return ranges && { key: keyOf(ids), ranges }
}

function interfaceMatch(world: World, alias: string | undefined): InterfaceMatch | null {
  if (alias === undefined || alias === 'any') return null
  if (alias === 'interface.utm_outgoing') return { key: ownTraffic, devices: [] }
  return { key: keyOf([alias]), devices: devicesOf(world.config, world.facts, alias) }
}

function actionOf(world: World, rule: Rule): Action {
  switch (rule.action) {
    case 'dnat':
      return {
        kind: 'dnat',
        addresses: addressSpan(world, rule.change_destination_address),
        ports: portSpan(world, rule.change_destination_port),
      }
    case 'snat':
      return { kind: 'snat', addresses: addressSpan(world, rule.change_source_address) }
    default:
      return plainActions.get(rule.action) ?? accept
  }
}

const accept: Action = { kind: 'accept' }
const plainActions: ReadonlyMap<string, Action> = new Map([
  ['drop', { kind: 'drop' }],
  ['reject', { kind: 'reject' }],
  ['mark_log', { kind: 'mark', isLogged: true }],
  ['mark_not_log', { kind: 'mark', isLogged: false }],
])

/** A literal or the id of an address or range object (docs/behaviour/firewall.md 4). */
function addressSpan(world: World, value: string | null | undefined): Span | null {
  if (value === null || value === undefined) return null
  return parseSpan(value) ?? firstSpan(addressesOf(world.config, world.facts, [value]))
}

function portSpan(world: World, value: string | null | undefined): Span | null {
  if (value === null || value === undefined) return null
  const [low = 0, high = low] = value.split('-').map(Number)
  return Number.isInteger(low) ? [low, high] : firstSpan(portsOf(world.config, [value]))
}

const firstSpan = ([low, high]: Ranges): Span | null => (low === undefined || high === undefined ? null : [low, high])

function accessOf(world: World): AccessStage | null {
  const { config } = world
  const { enabled, default_action, logging_enabled } = read(config, slots.accessState)
  if (!enabled) return null
  const lists = new Map(read(config, slots.accessLists).map((list) => [list.id, list]))
  const resolvedLists = new Map<string, ResolvedList>()
  const bindings = read(config, slots.accessOrder).acl_ordered_list.flatMap((binding, at): AccessBinding[] => {
    const list = lists.get(binding.acl)
    if (!list) return []
    const members = { key: `acl_${at}`, ranges: membersOf(world, binding.src, binding.hip), isNegated: false }
    const listKey = `acl_${digest(list.id).slice(0, 12)}`
    const known = resolvedLists.get(list.id) ?? resolveList(list.id, list.value)
    resolvedLists.set(list.id, known)
    return [{ origin: pathOf(slots.accessOrder, at), members, listKey, entries: known.entries }]
  })
  lastLists = resolvedLists
  return { bindings, isAllowedByDefault: default_action === 'allow', isLogged: logging_enabled }
}

/** Hosts in one of the groups that hold one of the profiles; an empty list is not a condition. */
function membersOf({ config, facts }: World, groups: readonly string[], profiles: readonly string[]): Ranges {
  const outside = [groups, profiles]
    .filter((ids) => ids.length > 0)
    .map((ids) => invert(addressesOf(config, facts, ids), highestAddress))
  return outside.length === 0 ? everyAddress : invert(unite(outside), highestAddress)
}

type StoredEntries = readonly AccessEntry[]

interface ResolvedList {
  readonly stored: StoredEntries
  readonly entries: AccessBinding['entries']
}

/** Of the lists that were bound the last time. */
let lastLists: ReadonlyMap<string, ResolvedList> = new Map()

/** A list has up to ten thousand entries, so those that are what they were at its ends are not converted again. */
function resolveList(id: string, stored: StoredEntries): ResolvedList {
  const known = lastLists.get(id)
  if (known !== undefined && known.stored === stored) return known
  const [head, tail] = commonEnds<AccessEntry>(known?.stored ?? [], stored, isSameEntry)
  const runs = [
    { at: 0, from: 0, count: head },
    { at: stored.length - tail, from: (known?.stored.length ?? 0) - tail, count: tail },
  ]
  const origin = pathOf(slots.accessLists, id)
  const entries = mapRuns(stored.length, runs, known?.entries ?? [], (at) => entryOf(origin, stored[at] as AccessEntry))
  return { stored, entries }
}

const isSameEntry = (a: AccessEntry | undefined, b: AccessEntry | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.saddr === b.saddr &&
    a.daddr === b.daddr &&
    a.proto === b.proto &&
    a.sport_min === b.sport_min &&
    a.sport_max === b.sport_max &&
    a.dport_min === b.dport_min &&
    a.dport_max === b.dport_max &&
    a.action === b.action)

function entryOf(origin: string, entry: AccessEntry): AccessBinding['entries'][number] {
  const span = (cidr: string): Span => {
    const network = parseNetwork(cidr)
    return network ? [network.low, network.high] : [0, highestAddress]
  }
  const hasPorts = entry.proto === 'tcp' || entry.proto === 'udp'
  return {
    origin,
    protocol: entry.proto === 'ip' ? null : entry.proto,
    source: span(entry.saddr),
    destination: span(entry.daddr),
    sourcePorts: hasPorts ? portsBetween(entry.sport_min, entry.sport_max) : null,
    destinationPorts: hasPorts ? portsBetween(entry.dport_min, entry.dport_max) : null,
    isAllowed: entry.action === 'allow',
  }
}

const portsBetween = (low: number, high: number): Span | null =>
  low === 0 && (high === 0 || high === 65_535) ? null : [low, high]

function hardwareOf(config: Config): HardwareFilter | null {
  const { mode } = read(config, slots.hardwareSettings)
  const address = (text: string): number => parseAddress(text) ?? 0
  const filter = ((): HardwareFilter => {
    switch (mode) {
      case 'mac': {
        const rules = read(config, slots.macRules).filter(({ enabled }) => enabled)
        return { mode, entries: rules.map(({ mac, protocol }) => ({ mac, etherType: protocol })) }
      }
      case 'src-ip': {
        const rules = read(config, slots.sourceRules).filter(({ enabled }) => enabled)
        return { mode, entries: rules.map(({ source_ip }) => address(source_ip)) }
      }
      case 'dst-ip': {
        const rules = read(config, slots.destinationRules).filter(({ enabled }) => enabled)
        return { mode, entries: rules.map(({ destination_ip }) => address(destination_ip)) }
      }
      case 'src-and-dst-ip': {
        const rules = read(config, slots.pairRules).filter(({ enabled }) => enabled)
        return {
          mode,
          entries: rules.map((rule) => ({
            source: address(rule.source_ip),
            destination: address(rule.destination_ip),
          })),
        }
      }
    }
  })()
  return filter.entries.length > 0 ? filter : null
}
