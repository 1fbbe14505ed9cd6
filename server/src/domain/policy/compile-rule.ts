// One policy rule as lines of nftables, and what the dispatcher may know of it. Objects of several values are named sets
// whose name depends only on the object, so that an edit of it changes elements and nothing else. Pure but for what it
// remembers of rules that are still there.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { noRanges, overlaps, type Ranges, unite } from '../../shared/net/ranges.ts'
import { addressSet, addressSets, memberSet } from './address-sets.ts'
import { isNotInChannel, setChannel } from './channel-mark.ts'
import { makeFields } from './dispatch.ts'
import { mix, udpOffset } from './dispatch-cuts.ts'
import { type Entry, type EntryParts, printEntry } from './dispatch-ranks.ts'
import type {
  AddressMatch,
  InterfaceMatch,
  LoggedAction,
  PolicyRule,
  ProtocolName,
  RuleTable,
  WebStage,
} from './model.ts'
import {
  addresses,
  addressPool,
  blank,
  equals,
  inSet,
  isQuotableInterface,
  type Nft,
  numbers,
  printElements,
  rule as printRule,
  quoteInterface,
  record,
  sentence,
  target,
  withSetsLast,
  words,
} from './nft.ts'
import { webPortRanges } from './web.ts'

/**
 * The hook of a table's rules. Forward rules that name the gateway as the sender are in the output hook. `web` and `web_log` are
 * the rules of `forward` and `log` for what the web proxy opens in the name of a client.
 */
export type Place = RuleTable | 'output' | 'web' | 'web_log'

export interface RuleOptions {
  readonly place: Place
  readonly countsHits: boolean
  /** Hits of these on marked connections are recorded; empty when no rule marks. */
  readonly loggedActions: readonly LoggedAction[]
  /** For `web` and `web_log`, where no packet has an incoming device. */
  readonly networks?: WebStage['networks']
}

export interface CompiledRule {
  /** For IPv4 and IPv6 packets; null when the rule matches none of them. */
  readonly ipv4: Entry | null
  readonly ipv6: Entry | null
  /** True when its lines say nothing of IPv4, so that IPv6 packets must be kept from them. */
  readonly isOpen: boolean
  readonly sets: readonly NftPiece[]
}

export const logGroup = 5
export const tableNames = {
  forward: 'FWD',
  input: 'INP',
  dnat: 'DNAT',
  snat: 'SNAT',
  log: 'LOG',
  output: 'FWD',
  web: 'FWD',
  web_log: 'LOG',
} as const

/** Several lines instead of a set: small sets cost more than lines when there are thousands. */
const maxLines = 4

/** Most rules need none. */
export const noSets: readonly NftPiece[] = []

const none: CompiledRule = { ipv4: null, ipv6: null, isOpen: false, sets: noSets }
type Remembered = WeakMap<PolicyRule, { readonly options: RuleOptions; readonly compiled: CompiledRule }>
/** A rule may have a place in both. */
const remembered: Remembered = new WeakMap()
const rememberedForWeb: Remembered = new WeakMap()

const isForWeb = (place: Place): boolean => place === 'web' || place === 'web_log'

/** The same objects for the same rule as long as the same options are given. */
export function compileRule(rule: PolicyRule, options: RuleOptions): CompiledRule {
  const memory = isForWeb(options.place) ? rememberedForWeb : remembered
  const known = memory.get(rule)
  if (known?.options === options) return known.compiled
  const compiled = canMatch(rule, options) ? makeRule(rule, options) : none
  memory.set(rule, { options, compiled })
  return compiled
}

/** A rule with a condition that nothing meets is left out. */
function canMatch(whole: PolicyRule, options: RuleOptions): boolean {
  const { source, destination, sourcePorts, destinationPorts, ...rule } = whole
  const { place } = options
  if (isForWeb(place) && !concernsWeb(whole, options)) return false
  const isEmpty = (match: AddressMatch | null) =>
    match !== null && !match.isNegated && match.ranges.length === 0 && !hasMembers(match)
  if (isEmpty(source) || isEmpty(destination)) return false
  if (sourcePorts?.ranges.length === 0 || destinationPorts?.ranges.length === 0) return false
  if (rule.times?.ranges.length === 0) return false
  if (place !== 'output' && place !== 'snat' && rule.incoming !== null && quotable(rule.incoming).length === 0)
    return false
  if (place === 'input') return true
  return !(isEmpty(rule.holders) || (rule.outgoing !== null && quotable(rule.outgoing).length === 0))
}

/** What the proxy opens is TCP to a port of the web, for a client of a local network. */
function concernsWeb({ protocol, destinationPorts, incoming }: PolicyRule, options: RuleOptions): boolean {
  if (protocol !== null && protocol !== 'tcp') return false
  if (destinationPorts !== null && !overlaps(destinationPorts.ranges, webPortRanges)) return false
  return incoming === null || networksBehind(incoming, options).length > 0
}

const networksBehind = ({ devices }: InterfaceMatch, { networks = [] }: RuleOptions): Ranges =>
  unite(networks.filter(({ device }) => devices.includes(device)).map(({ ranges }) => ranges))

const hasMembers = (match: AddressMatch): boolean => (match.members?.length ?? 0) > 0

const quotable = ({ devices }: InterfaceMatch): string[] => devices.filter(isQuotableInterface)

function makeRule(rule: PolicyRule, options: RuleOptions): CompiledRule {
  const sets: NftPiece[] = []
  const holders = options.place === 'input' ? null : rule.holders
  const translates = rule.action.kind === 'dnat' || rule.action.kind === 'snat'
  const isPositive = [rule.source, rule.destination, holders].some((match) => match !== null && !match.isNegated)
  const ports = portSpace(rule.protocol, rule.destinationPorts?.ranges ?? null)
  const ipv4 = makeEntry(
    rule,
    options,
    'ipv4',
    makeFields(positive(rule.destination), positive(rule.source), ports),
    sets,
  )
  return {
    ipv4,
    // IPv6 addresses are in no list, and a translation has none to give.
    ipv6:
      isPositive || translates || isForWeb(options.place)
        ? null
        : makeEntry(rule, options, 'ipv6', makeFields(null, null, ports), []),
    isOpen: !isPositive && !isForWeb(options.place),
    sets: sets.length > 0 ? sets : noSets,
  }
}

type Family = 'ipv4' | 'ipv6'

const makeEntry = (
  rule: PolicyRule,
  options: RuleOptions,
  family: Family,
  { reach, fields }: ReturnType<typeof makeFields>,
  sets: NftPiece[],
): Entry => ({
  hash: mix(rule.id),
  reach,
  fields,
  position: { inTable: 0, inList: 0 },
  lines: printEntry(partsOf(rule, options, family, sets)),
  origin: rule.origin,
  parts: () => partsOf(rule, options, family, []),
})

function partsOf(rule: PolicyRule, options: RuleOptions, family: Family, sets: NftPiece[]): EntryParts {
  const holders = options.place === 'input' ? null : rule.holders
  const protocol = protocolOf(rule, family === 'ipv4' ? 'icmp' : 'ipv6-icmp')
  const common = commonConditions(rule, options, sets)
  const found = family === 'ipv4' ? addressConditions(rule, holders, sets) : [[]]
  return {
    conditions: found.map((parts) => sentence(...protocol, ...withSetsLast([...parts, ...common]))),
    statements: statementsOf(rule, options),
    basis: basisOf(rule),
  }
}

/** nft takes the port of a translation only behind a protocol that has ports. */
const basisOf = ({ action, protocol }: PolicyRule): Nft =>
  action.kind === 'dnat' && action.ports !== null ? words(`meta l4proto ${protocol}`) : blank

/** What the dispatcher may separate rules by: where the users are that a rule names is not known when it is compiled. */
const positive = (match: AddressMatch | null): Ranges | null =>
  match === null || match.isNegated || hasMembers(match) ? null : match.ranges

const everyPort: Ranges = [0, udpOffset - 1]

/** What the rule can match in the dispatcher's space of ports. */
export function portSpace(protocol: ProtocolName | null, ports: Ranges | null): Ranges | null {
  if (protocol === null) return null
  if (protocol !== 'tcp' && protocol !== 'udp') return noRanges
  const ranges = ports ?? everyPort
  return protocol === 'tcp' ? ranges : ranges.map((port) => port + udpOffset)
}

/** Ports name their protocol themselves. */
function protocolOf({ protocol, sourcePorts, destinationPorts }: PolicyRule, icmp: 'icmp' | 'ipv6-icmp'): Nft[] {
  if (protocol === null || sourcePorts !== null || destinationPorts !== null) return []
  return [words(`meta l4proto ${protocol === 'icmp' ? icmp : protocol}`)]
}

/** One list of conditions for each line. */
export function addressConditions(
  { source, destination }: Pick<PolicyRule, 'source' | 'destination'>,
  holders: AddressMatch | null,
  sets: NftPiece[],
): readonly (readonly Nft[])[] {
  const [from, to] = [spread(source), spread(destination)]
  // The longer list goes into a set first.
  const isFromLonger = from > to
  const fromLimit = isFromLonger && from * to > maxLines ? 1 : maxLines
  const toLimit = !isFromLonger && from * to > maxLines ? 1 : maxLines
  const sources = addressParts(words('ip saddr'), source, fromLimit, sets)
  const targets = addressParts(words('ip daddr'), destination, toLimit, sets)
  const holding = addressParts(words('ip saddr'), holders, 1, sets, false)
  return sources.flatMap((a) => targets.flatMap((b) => holding.map((c) => [...a, ...b, ...c])))
}

const spread = (match: AddressMatch | null): number =>
  match === null || match.isNegated ? 1 : Math.max(1, match.ranges.length / 2 + (match.members?.length ?? 0))

/**
 * What is in one of several sets has a line for each; what is in none of them has one for all. Each user and each group that
 * is named has a set of the addresses of its sessions.
 */
function addressParts(
  selector: Nft,
  match: AddressMatch | null,
  limit: number,
  sets: NftPiece[],
  canSplit = true,
): Nft[][] {
  if (match === null) return [[]]
  const { isNegated, members = [] } = match
  const live = members.map(memberSet)
  const conditions = [
    ...listConditions(selector, match, limit, sets, canSplit),
    ...live.map((set) => inSet(selector, set.name, isNegated)),
  ]
  sets.push(...live)
  return isNegated ? [conditions] : conditions.map((condition) => [condition])
}

function listConditions(
  selector: Nft,
  match: AddressMatch,
  limit: number,
  sets: NftPiece[],
  canSplit: boolean,
): readonly Nft[] {
  const { ranges, isNegated } = match
  if (ranges.length <= 2 || (!isNegated && ranges.length <= 2 * limit))
    return printElements(ranges, addresses).map((value) => equals(selector, value, isNegated))
  const found = canSplit ? addressSets(match) : [addressSet(match)]
  sets.push(...found)
  return found.map((set) => inSet(selector, set.name, isNegated))
}

function commonConditions(rule: PolicyRule, options: RuleOptions, sets: NftPiece[]): Nft[] {
  const { place } = options
  const keep = (set: NftPiece): string => {
    sets.push(set)
    return set.name
  }
  const parts: Nft[] = []
  for (const [side, match] of [
    ['sport', rule.sourcePorts],
    ['dport', rule.destinationPorts],
  ] as const) {
    if (match === null) continue
    const selector = words(`${rule.protocol} ${side}`)
    const [value, ...more] = printElements(match.ranges, numbers)
    parts.push(
      value !== undefined && more.length === 0 ? equals(selector, value) : inSet(selector, keep(portSet(match))),
    )
  }
  const { incoming, outgoing, times } = rule
  if (incoming !== null && isForWeb(place)) parts.push(networkCondition(incoming, options, keep))
  else if (incoming !== null && place !== 'output' && place !== 'snat')
    parts.push(deviceCondition(words('iifname'), 'i', incoming, keep))
  if (outgoing !== null && place !== 'input' && place !== 'dnat')
    parts.push(
      place === 'log'
        ? deviceCondition(routeSelector, 'o', outgoing, keep)
        : deviceCondition(words('oifname'), 'i', outgoing, keep),
    )
  if (times !== null) parts.push(inSet(words('meta time'), keep(timeSet(times))))
  return parts
}

/** Marks are set before DNAT and routing: the way out is the one of the address the packet came with. */
const routeSelector = words('fib daddr oifname')

function deviceCondition(
  selector: Nft,
  prefix: 'i' | 'o',
  match: InterfaceMatch,
  keep: (set: NftPiece) => string,
): Nft {
  const devices = quotable(match)
  const [device, ...more] = devices
  if (device !== undefined && more.length === 0) return equals(selector, quoteInterface(device))
  const head = prefix === 'i' ? words('type ifname;') : words('typeof fib daddr oifname;')
  return inSet(selector, keep(remember(match, `${prefix}_${match.key}`, head, () => devices.map(quoteInterface))))
}

const networkSets = new WeakMap<RuleOptions, Map<string, NftPiece>>()

/** The source is in a network behind one of the devices. */
function networkCondition(match: InterfaceMatch, options: RuleOptions, keep: (set: NftPiece) => string): Nft {
  const ranges = networksBehind(match, options)
  const [low = 0, high = 0] = ranges
  if (ranges.length === 2) return equals(words('ip saddr'), addresses(low, high))
  const known = networkSets.get(options) ?? new Map<string, NftPiece>()
  networkSets.set(options, known)
  const head = words('type ipv4_addr; flags interval;')
  const lines = () => printElements(ranges, addresses)
  const name = `web_i_${match.key}`
  const set = known.get(name) ?? makePiece({ kind: 'set', name, head, lines: lines(), origin: '' })
  known.set(name, set)
  return inSet(words('ip saddr'), keep(set))
}

/** Objects are resolved once and shared, so their sets are as well. */
const rememberedSets = new WeakMap<object, Map<string, NftPiece>>()

function remember(match: object, name: string, head: Nft, list: () => Nft[]): NftPiece {
  const known = rememberedSets.get(match) ?? new Map<string, NftPiece>()
  rememberedSets.set(match, known)
  const piece = known.get(name) ?? makePiece({ kind: 'set', name, head, lines: list(), origin: '' })
  known.set(name, piece)
  return piece
}

const portSet = (match: NonNullable<PolicyRule['sourcePorts']>): NftPiece =>
  remember(match, `p_${match.key}`, words('type inet_service; flags interval;'), () =>
    printElements(match.ranges, numbers),
  )

/** The kernel counts nanoseconds, so the last second of a range goes on to the beginning of the next one. */
const timeSet = (match: NonNullable<PolicyRule['times']>): NftPiece =>
  remember(match, `t_${match.key}`, words('typeof meta time; flags interval;'), () =>
    printElements(match.ranges, (low, high) => numbers(low, high + 1)),
  )

function statementsOf(rule: PolicyRule, { place, countsHits, loggedActions }: RuleOptions): EntryParts['statements'] {
  const counter = countsHits ? [words('counter')] : []
  const action = loggedActionOf(rule)
  const isLogged = loggedActions.includes(action) && place !== 'output'
  const log = record(logGroup, tableNames[place], `${rule.id}`, action)
  if (rule.action.kind === 'mark') {
    // Only what is marked is recorded, and here the rule itself decides that.
    const note = isLogged && rule.action.isLogged && place === 'log' ? [log] : []
    const text = printRule(rule.origin, ...counter, ...verdictOf(rule), ...note, words('accept'))
    return [{ before: blank, text }]
  }
  const ends = endsOf(rule, place).map(({ before, verdict }) => ({
    before,
    text: printRule(rule.origin, ...counter, ...inspecting(rule), ...verdict),
  }))
  const notes = inspectionNotes(rule, place)
  return isLogged ? [{ before: isMarked, text: printRule(rule.origin, log) }, ...notes, ...ends] : [...notes, ...ends]
}

/** The number of the channel goes into the connection mark, whose other bits stay. */
const inspecting = ({ inspection: number, action }: PolicyRule): Nft[] =>
  number === undefined || action.kind !== 'accept' ? [] : [setChannel(number)]

/** Before the verdict of a rule that inspects. The second, once for a connection, so that events of the inspection engine can name the rule. */
function inspectionNotes(rule: PolicyRule, place: Place): EntryParts['statements'] {
  const { inspection: number, action } = rule
  if (number === undefined || action.kind !== 'accept') return []
  const note = record(logGroup, tableNames[place], `${rule.id}`, 'inspect')
  return [
    { before: isOfNoConnection, text: printRule(rule.origin, words('drop')) },
    { before: isNotInChannel(number), text: printRule(rule.origin, note) },
  ]
}

/** Such a packet can have no channel, and would pass without inspection (decision 107). */
const isOfNoConnection = words('ct state invalid')

const isTcp = words('meta l4proto tcp')

/** TCP has its own way to be refused; everything else gets the answer of a closed port. */
function endsOf(rule: PolicyRule, place: Place): { before: Nft; verdict: readonly Nft[] }[] {
  const end = { before: blank, verdict: verdictOf(rule) }
  const verdict = [words('reject with tcp reset')]
  // Only the proxy hears it. It has answered the client already, who would wait for it without result.
  if (rule.action.kind === 'drop' && place === 'web') return [{ before: blank, verdict }]
  if (rule.action.kind !== 'reject' || (rule.protocol !== null && rule.protocol !== 'tcp')) return [end]
  const reset = { before: isTcp, verdict }
  return rule.protocol === 'tcp' ? [reset] : [reset, end]
}

/** The lowest bit of the connection mark says "logged". */
const isMarked = words('ct mark & 0x1 == 0x1')
const mark = words('ct mark set ct mark | 0x1')
const unmark = words('ct mark set ct mark & 0xfffffffe')

function loggedActionOf({ action }: PolicyRule): LoggedAction {
  if (action.kind !== 'mark') return action.kind
  return action.isLogged ? 'mark_log' : 'mark_not_log'
}

/** The kernel itself keeps a port that is in the range of a translation. */
function verdictOf({ action }: PolicyRule): Nft[] {
  switch (action.kind) {
    case 'accept':
    case 'drop':
      return [words(action.kind)]
    case 'reject':
      return [words('reject with icmpx port-unreachable')]
    case 'mark':
      return [action.isLogged ? mark : unmark]
    case 'snat':
      return action.addresses === null
        ? [words('masquerade')]
        : [words('snat ip'), target(addressPool(...action.addresses), null)]
    case 'dnat': {
      const ports = action.ports === null ? null : numbers(...action.ports)
      if (action.addresses === null) return ports === null ? [words('accept')] : [words('dnat'), target(null, ports)]
      return [words('dnat ip'), target(addressPool(...action.addresses), ports)]
    }
  }
}
