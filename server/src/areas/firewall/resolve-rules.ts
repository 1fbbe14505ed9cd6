// What the stored rules of the five tables mean: objects, zones and times resolved. Only rules that changed, or that name
// something whose meaning changed, are resolved again, and a rule whose meaning did not change keeps its PolicyRule, so that
// nothing is compiled again for it. Pure but for that memory.

import { pathOf } from '../../core/model/paths.ts'
import { findRuns, isSameList, mapRuns } from '../../core/model/runs.ts'
import { type Config, read, type Slot } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { digest } from '../../domain/policy/digest.ts'
import {
  type Action,
  type AddressMatch,
  type InterfaceMatch,
  ownTraffic,
  type Policy,
  type PolicyRule,
  type PortMatch,
  type ProtocolName,
  type RuleTable,
  type Span,
  type TimeMatch,
} from '../../domain/policy/model.ts'
import { parseSpan } from '../../shared/net/ipv4.ts'
import type { Ranges } from '../../shared/net/ranges.ts'
import { aggregated, connections, devicesByAlias, devicesOf, tunnels } from '../network/public.ts'
import {
  addressesOf,
  changedObjects,
  membersIn,
  type ObjectWorld,
  objectKinds,
  portsOf,
  timesOf,
  unresolvedNames,
} from '../objects/public.ts'
import { askedBy, type ChannelNumbers } from './channels.ts'
import { ruleSlots } from './config.ts'
import type { Rule } from './contract.ts'

/** Slots of other areas that give rules their meaning. */
export const foreignSlots: readonly Slot[] = [...objectKinds.map(({ slot }) => slot), connections, tunnels, aggregated]

/** Everything beside a rule itself that its meaning depends on: these slots and no other, the facts, and the channels in use. */
interface World extends ObjectWorld {
  readonly channels: ChannelNumbers
}

let lastWorld: World | null = null

/** The same one while none of it changed. */
function worldOf(config: Config, facts: Facts, channels: ChannelNumbers): World {
  const last = lastWorld
  const isSameConfig = last !== null && foreignSlots.every(({ key }) => last.config[key] === config[key])
  if (isSameConfig && last.facts === facts && changedChannels(last.channels, channels).length === 0) return last
  const present = foreignSlots.filter(({ key }) => key in config)
  const seen = isSameConfig ? last.config : Object.fromEntries(present.map(({ key }) => [key, config[key]]))
  lastWorld = { config: seen, facts, channels }
  return lastWorld
}

/** What rules ask for whose channel has another number, or has one only here or there. */
const changedChannels = (before: ChannelNumbers, after: ChannelNumbers): string[] =>
  before === after
    ? []
    : [...new Set([...before.keys(), ...after.keys()])].filter((asked) => before.get(asked) !== after.get(asked))

/** All rules that are resolved together. */
interface Run {
  readonly world: World
  /** What equal lists of objects mean, once for all of them. */
  readonly matches: Map<string, AddressMatch | PortMatch>
  /** What does not mean the same in this world as in another one, once for all tables. */
  readonly changes: Map<World, ReadonlySet<string>>
}

export function rulesOf(config: Config, facts: Facts, channels: ChannelNumbers): Policy['rules'] {
  const run: Run = { world: worldOf(config, facts, channels), matches: new Map(), changes: new Map() }
  const rules = (table: RuleTable): readonly PolicyRule[] => resolveTable(run, table, read(config, ruleSlots[table]))
  return {
    forward: rules('forward'),
    input: rules('input'),
    dnat: rules('dnat'),
    snat: rules('snat'),
    log: rules('log'),
  }
}

interface ResolvedTable {
  readonly stored: readonly Rule[]
  readonly world: World
  /** For each stored rule; null for those that are disabled. */
  readonly meanings: readonly (PolicyRule | null)[]
  readonly rules: readonly PolicyRule[]
}
/** By the stored list, so that questions about an unchanged configuration do not walk ten thousand rules first. */
const resolvedTables = new WeakMap<readonly Rule[], ResolvedTable>()
/** The last one of each table: the next one mostly differs in one or two rules. */
const lastTables = new Map<RuleTable, ResolvedTable>()

function resolveTable(run: Run, table: RuleTable, stored: readonly Rule[]): readonly PolicyRule[] {
  const { world } = run
  const known = resolvedTables.get(stored)
  if (known?.world === world) return known.rules
  const old = known ?? lastTables.get(table)
  const taken = mapRuns(stored.length, findRuns(stored, old?.stored ?? []), old?.meanings ?? [], (at) =>
    resolveRule(run, table, stored[at] as Rule),
  )
  const changed = old === undefined ? nothing : changedSince(run, old.world)
  const meanings =
    changed.size === 0
      ? taken
      : stored.map((rule, at) =>
          namesOneOf(changed, rule) ? resolveRule(run, table, rule) : (taken[at] as PolicyRule | null),
        )
  const found = meanings.includes(null) ? meanings.filter((rule) => rule !== null) : (meanings as readonly PolicyRule[])
  const rules = old !== undefined && isSameList(old.rules, found) ? old.rules : found
  const resolvedTable = { stored, world, meanings, rules }
  resolvedTables.set(stored, resolvedTable)
  lastTables.set(table, resolvedTable)
  return rules
}

const nothing: ReadonlySet<string> = new Set()

function changedSince({ world, changes }: Run, before: World): ReadonlySet<string> {
  if (before === world) return nothing
  const names = changes.get(before) ?? changedNames(before, world)
  changes.set(before, names)
  return names
}

/** Ids of objects, names of interfaces and zones, and what rules ask of inspection, which no name can be: it has a space. */
function changedNames(before: World, after: World): ReadonlySet<string> {
  const names = changedObjects(before, after)
  for (const asked of changedChannels(before.channels, after.channels)) names.add(asked)
  const [old, now] = [before, after].map(({ config, facts }) => devicesByAlias(config, facts))
  if (old === undefined || now === undefined || old === now) return names
  for (const alias of [...old.keys(), ...now.keys()])
    if (old.get(alias)?.join(' ') !== now.get(alias)?.join(' ')) names.add(alias)
  return names
}

/** Every field that resolving a rule looks at. */
function namesOneOf(names: ReadonlySet<string>, rule: Rule): boolean {
  const has = (name: string | null | undefined): boolean => names.has(name ?? '')
  return (
    rule.source_addresses.some(has) ||
    rule.destination_addresses.some(has) ||
    rule.source_ports.some(has) ||
    rule.destination_ports.some(has) ||
    rule.timetable.some(has) ||
    has(rule.incoming_interface) ||
    has(rule.outgoing_interface) ||
    has(rule.change_destination_address) ||
    has(rule.change_destination_port) ||
    has(rule.change_source_address) ||
    (rule.hip_profiles?.some(has) ?? false) ||
    ((rule.ips_enabled || rule.dpi_enabled) === true && has(askedBy(rule)))
  )
}

/** What each rule meant the last time. */
const lastMeanings = new WeakMap<Rule, PolicyRule>()

function resolveRule(run: Run, table: RuleTable, rule: Rule): PolicyRule | null {
  if (!rule.enabled) return null
  const last = lastMeanings.get(rule)
  const fresh = ruleOf(run, table, rule)
  if (last && isSame(last, fresh)) return last
  lastMeanings.set(rule, fresh)
  return fresh
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
    a.inspection === b.inspection &&
    JSON.stringify(a.action) === JSON.stringify(b.action)
  )
}

const sameMatch = (a: { readonly ranges: Ranges } | null, b: { readonly ranges: Ranges } | null): boolean =>
  a?.ranges === b?.ranges

const sameNames = (a: AddressMatch | null, b: AddressMatch | null): boolean =>
  a?.unresolved?.join(' ') === b?.unresolved?.join(' ') && a?.members?.join(' ') === b?.members?.join(' ')

const sameDevices = (a: InterfaceMatch | null, b: InterfaceMatch | null): boolean =>
  a === b || a?.devices.join(' ') === b?.devices.join(' ')

function ruleOf(run: Run, table: RuleTable, rule: Rule): PolicyRule {
  const isForward = table === 'forward'
  const profiles = rule.hip_profiles ?? []
  const number = run.world.channels.get(askedBy(rule))
  return {
    id: rule.id,
    table,
    origin: pathOf(ruleSlots[table], rule.id),
    protocol: rule.protocol === 'any' ? null : (rule.protocol.replace('protocol.', '') as ProtocolName),
    source: addressMatch(run, rule.source_addresses, rule.source_addresses_negate),
    destination: addressMatch(run, rule.destination_addresses, rule.destination_addresses_negate),
    sourcePorts: portMatch(run, rule.source_ports),
    destinationPorts: portMatch(run, rule.destination_ports),
    incoming: interfaceMatch(run, rule.incoming_interface),
    // Spec gap (docs/behaviour/firewall.md 2): INPUT rules store these two, but do not use them.
    outgoing: table === 'input' ? null : interfaceMatch(run, rule.outgoing_interface),
    holders: isForward && profiles.length > 0 ? addressMatch(run, profiles, false) : null,
    times: timeMatch(run, rule.timetable),
    action: actionOf(run, rule),
    ...(number === undefined ? {} : { inspection: number }),
  }
}

const isAny = (ids: readonly string[]): boolean => ids.includes('any')

/** A name for the kernel: readable for one object, a digest for several. */
export const keyOf = (ids: readonly string[]): string => {
  const [first = ''] = ids
  const readable = first.replaceAll(/[^a-z0-9]/g, '_')
  return ids.length === 1 && readable.length <= 40 && /^[a-z]/.test(readable)
    ? readable
    : `l_${digest(ids.toSorted().join(' ')).slice(0, 24)}`
}

function shareMatch<M extends AddressMatch | PortMatch>({ matches }: Run, name: string, make: () => M): M {
  const match = (matches.get(name) as M | undefined) ?? make()
  matches.set(name, match)
  return match
}

function addressMatch(run: Run, ids: readonly string[], isNegated: boolean): AddressMatch | null {
  if (isAny(ids)) return null
  const { config, facts } = run.world
  return shareMatch(run, `${isNegated ? 'not' : 'in'} ${ids.join(' ')}`, () => {
    const unresolved = unresolvedNames(config, facts, ids)
    const lacking = unresolved.length > 0 ? { unresolved } : {}
    const members = membersIn(config, ids)
    const named = members.length > 0 ? { members } : {}
    return { key: keyOf(ids), ranges: addressesOf(config, facts, ids), isNegated, ...lacking, ...named }
  })
}

const portMatch = (run: Run, ids: readonly string[]): PortMatch | null =>
  isAny(ids)
    ? null
    : shareMatch(run, `ports ${ids.join(' ')}`, () => ({ key: keyOf(ids), ranges: portsOf(run.world.config, ids) }))

function timeMatch(run: Run, ids: readonly string[]): TimeMatch | null {
  const ranges = timesOf(run.world.config, run.world.facts, ids)
  return ranges && { key: keyOf(ids), ranges }
}

function interfaceMatch(run: Run, alias: string | undefined): InterfaceMatch | null {
  if (alias === undefined || alias === 'any') return null
  if (alias === 'interface.utm_outgoing') return { key: ownTraffic, devices: [] }
  return { key: keyOf([alias]), devices: devicesOf(run.world.config, run.world.facts, alias) }
}

function actionOf(run: Run, rule: Rule): Action {
  switch (rule.action) {
    case 'dnat':
      return {
        kind: 'dnat',
        addresses: addressSpan(run.world, rule.change_destination_address),
        ports: portSpan(run.world, rule.change_destination_port),
      }
    case 'snat':
      return { kind: 'snat', addresses: addressSpan(run.world, rule.change_source_address) }
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

type Resolvable = Pick<World, 'config' | 'facts'>

/** A literal or the id of an address or range object (docs/behaviour/firewall.md 4). */
export function addressSpan({ config, facts }: Resolvable, value: string | null | undefined): Span | null {
  if (value === null || value === undefined) return null
  return parseSpan(value) ?? firstSpan(addressesOf(config, facts, [value]))
}

export function portSpan({ config }: Pick<Resolvable, 'config'>, value: string | null | undefined): Span | null {
  if (value === null || value === undefined) return null
  const [low = 0, high = low] = value.split('-').map(Number)
  return Number.isInteger(low) ? [low, high] : firstSpan(portsOf(config, [value]))
}

const firstSpan = ([low, high]: Ranges): Span | null => (low === undefined || high === undefined ? null : [low, high])
