// What the stored firewall means: the Policy that compiler, evaluator and hygiene read. Pure but for what it remembers of
// rules and access control lists.

import { pathOf } from '../../core/model/paths.ts'
import { makingOf, mapRuns } from '../../core/model/runs.ts'
import { type Config, commonEnds, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { digest } from '../../domain/policy/digest.ts'
import {
  type AccessBinding,
  type AccessStage,
  type HardwareFilter,
  type LoggedAction,
  type Policy,
  type PolicyRule,
  ruleTables,
  type Span,
} from '../../domain/policy/model.ts'
import { everyAddress, highestAddress, parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { invert, type Ranges, unite } from '../../shared/net/ranges.ts'
import { authorizationStage, withUserAddresses } from '../authorization/public.ts'
import { discoverySettings } from '../device-discovery/public.ts'
import { dnsStage } from '../dns/public.ts'
import { applicationDetection } from '../monitor/public.ts'
import { externalDevices, localSide, ownAddresses } from '../network/public.ts'
import { addressesOf, membersIn } from '../objects/public.ts'
import { closedWebPorts, guardedWebPorts, webStage } from '../web-proxy/public.ts'
import { channelNumbers } from './channels.ts'
import * as slots from './config.ts'
import { type AccessEntry, logActions, type AccessBinding as StoredBinding } from './contract.ts'
import { limitsInForce } from './limits.ts'
import { inspectionStage, namesMembersIn } from './resolve-inspection.ts'
import { rulesOf } from './resolve-rules.ts'
import { closedServicePorts, guardedPorts, openServices, outsideServices } from './services.ts'

const noRules: Policy['rules'] = { forward: [], input: [], dnat: [], snat: [], log: [] }

export function policyOf(config: Config, facts: Facts): Policy {
  const isEnabled = read(config, slots.state).enabled
  const { automatic_snat_enabled, log_mode, log_actions } = read(config, slots.settings)
  const side = localSide(config, facts)
  const withUsers = withUserAddresses(config, facts)
  const rules = isEnabled ? rulesOf(config, withUsers, channelNumbers(config, facts)) : noRules
  const access = isEnabled ? accessOf(config, withUsers) : null
  const web = webStage(config, withUsers, side)
  const inspection = inspectionStage(config, withUsers)
  return {
    rules,
    access,
    hardware: isEnabled ? hardwareOf(config) : null,
    hasAutomaticSnat: automatic_snat_enabled,
    externalDevices: externalDevices(config, facts),
    devices: facts.interfaces.map(({ name }) => name),
    services: openServices(config, facts),
    closedPorts: web === null ? closedServicePorts : [...closedServicePorts, ...closedWebPorts(web)],
    guardedPorts: [...guardedPorts(config), ...guardedWebPorts(web)],
    outsideServices: outsideServices(config, facts),
    ownAddresses: ownAddresses(config, facts),
    countsHits: read(config, slots.watch).enabled,
    loggedActions: loggedActions(log_mode, log_actions),
    isBlocked: read(config, slots.block).blocked,
    dns: dnsStage(config, side),
    authorization: authorizationStage(config, {
      side,
      namesMembers: namesMembers(rules, access) || namesMembersOfWeb(web) || namesMembersIn(inspection),
      notesUnknown: read(config, discoverySettings).enabled,
    }),
    web,
    isClassifying: read(config, applicationDetection).enabled,
    inspection,
    limits: limitsInForce(config, facts),
  }
}

const known = new WeakMap<readonly PolicyRule[], boolean>()

/** Does a rule or a binding name a user or a group? Asked at every change, so ten thousand rules are looked through once. */
function namesMembers(rules: Policy['rules'], access: AccessStage | null): boolean {
  const inTable = (table: readonly PolicyRule[]): boolean => {
    const before = known.get(table)
    if (before !== undefined) return before
    const making = makingOf(table)
    const asked = making !== null && known.get(making.old) === false ? making.fresh : table
    const found = asked.some(({ source, destination }) => source?.members || destination?.members)
    known.set(table, found)
    return found
  }
  return (
    ruleTables.some((table) => inTable(rules[table])) || (access?.bindings.some((it) => it.members.members) ?? false)
  )
}

const namesMembersOfWeb = (web: Policy['web']): boolean =>
  web?.interception?.sources?.members !== undefined ||
  (web?.interception?.exclusions.some((one) => one.sources?.members ?? one.destinations?.members) ?? false)

function loggedActions(mode: string, selected: readonly LoggedAction[]): readonly LoggedAction[] {
  if (mode === 'nothing') return []
  const chosen: readonly LoggedAction[] = mode === 'all' ? logActions : selected
  // The setting does not know rejections (docs/behaviour/firewall.md 5): they are a kind of drop.
  return chosen.includes('drop') ? [...chosen, 'reject'] : chosen
}

function accessOf(config: Config, facts: Facts): AccessStage | null {
  const { enabled, default_action, logging_enabled } = read(config, slots.accessState)
  if (!enabled) return null
  const lists = new Map(read(config, slots.accessLists).map((list) => [list.id, list]))
  const resolvedLists = new Map<string, ResolvedList>()
  const bindings = read(config, slots.accessOrder).acl_ordered_list.flatMap((binding, at): AccessBinding[] => {
    const list = lists.get(binding.acl)
    if (!list) return []
    const listKey = `acl_${digest(list.id).slice(0, 12)}`
    const known = resolvedLists.get(list.id) ?? resolveList(list.id, list.value)
    resolvedLists.set(list.id, known)
    const bound = boundHosts(config, facts, `acl_${at}`, binding)
    return [{ origin: pathOf(slots.accessOrder, at), ...bound, listKey, entries: known.entries }]
  })
  lastLists = resolvedLists
  return { bindings, isAllowedByDefault: default_action === 'allow', isLogged: logging_enabled }
}

/** Addresses of sessions are not known here, so that those of profiles are then a condition apart. */
function boundHosts(
  config: Config,
  facts: Facts,
  key: string,
  { src, hip }: StoredBinding,
): Pick<AccessBinding, 'members' | 'holders'> {
  const members = membersIn(config, src)
  if (members.length === 0) return { members: { key, ranges: hostsOf(config, facts, src, hip), isNegated: false } }
  const holders = { key: `${key}_p`, ranges: addressesOf(config, facts, hip), isNegated: false }
  return {
    members: { key, ranges: addressesOf(config, facts, src), isNegated: false, members },
    ...(hip.length > 0 ? { holders } : {}),
  }
}

/** Hosts in one of the groups that hold one of the profiles; an empty list is not a condition. */
function hostsOf(config: Config, facts: Facts, groups: readonly string[], profiles: readonly string[]): Ranges {
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
