// What the compiled policy does with a packet, found by walking the same rules: hardware filter, log marks, DNAT,
// routing, access lists, forward or input, SNAT. The compiler renders the same meaning for the kernel, and a test
// compares the two packet by packet. Sentences about it are explain.ts's. Pure.

import type { ClosedPort } from '../../core/engine/views.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { contains, toRanges } from '../../shared/net/ranges.ts'
import { findPortal, findRefusal, findRefusalInside, findSpoof } from './authorization.ts'
import { intercept, interceptionOrigin, isRefused } from './dns.ts'
import { inspect } from './evaluate-inspection.ts'
import { type Cut, type Flow, isIn, type MembersAt, matchRule } from './evaluate-match.ts'
import { findIpv6Way, findWay, type Routing, type Way } from './evaluate-routing.ts'
import type {
  AccessResult,
  EvaluateOptions,
  LogRecord,
  LogWalk,
  Miss,
  Outcome,
  Packet,
  SnatResult,
  Trace,
  Translation,
  Walk,
} from './evaluate-trace.ts'
import { isListed } from './guards.ts'
import { isLocalDevice } from './local-side.ts'
import type { Refusal } from './model.ts'
import {
  type AccessEntry,
  type AccessStage,
  type GuardedPort,
  type HardwareFilter,
  type LoggedAction,
  type OpenService,
  type Policy,
  type PolicyRule,
  privateNetworks,
  type Span,
} from './model.ts'
import { decideOutside, isTranslated } from './outside.ts'
import { isUncertain } from './unresolved.ts'
import { directOrigin, findUnreadable, isTaken } from './web.ts'

const maxMisses = 1000
const maxOutcomes = 64
const privateSources = toRanges(
  privateNetworks.flatMap((text): Span[] => {
    const network = parseNetwork(text)
    return network === null ? [] : [[network.low, network.high]]
  }),
)

interface Question {
  readonly policy: Policy
  readonly packet: Packet
  /** As it arrived, before DNAT. */
  readonly original: Flow
  readonly routing: Routing
  readonly wantsReasons: boolean
  readonly isMarked: boolean
}

export function evaluate(policy: Policy, packet: Packet, routing: Routing, options: EvaluateOptions = {}): Trace {
  const flow = flowOf(packet)
  const droppedBy = findHardwareDrop(policy, flow)
  const translation = { addresses: null, ports: null }
  const nothing = { droppedBy, log: null, dnat: null, isIntercepted: false, isAtPortal: false, translation }
  if (droppedBy !== null) return { ...nothing, outcomes: [], isComplete: true, verdict: 'drop' }
  const wantsReasons = options.reasons ?? true
  const question = { policy, packet, original: flow, routing, wantsReasons, isMarked: false }
  if (packet.incoming_interface === null) return finish(question, flow, { ...nothing, records: [] })

  const log = walkLog(question, { ...flow, outgoing: deviceOf(wayOf(question, flow.destination)) })
  const marked = { ...question, isMarked: log.isMarked }
  const dnat = walk(policy.rules.dnat, flow, wantsReasons) as Walk
  const own = dnat.rule === null ? intercept(policy.dns, flow) : null
  const portal = dnat.rule === null ? findPortal(policy.authorization, flow, packet, routing) : null
  const moved = portal ?? (own === null ? translate(dnat.rule, flow) : { addresses: own, ports: null })
  const movedFlow = {
    ...flow,
    destination: moved.addresses ?? flow.destination,
    destinationPorts: moved.ports ?? flow.destinationPorts,
  }
  const records = [...recordsOf(marked, log.rule), ...recordsOf(marked, dnat.rule)]
  const start = { droppedBy, log, dnat, isIntercepted: own !== null, isAtPortal: portal !== null, translation: moved }
  return finish(marked, movedFlow, { ...start, records })
}

function flowOf(packet: Packet): Flow {
  const source = parseAddress(packet.source)
  const destination = parseAddress(packet.destination)
  const hasPorts = packet.protocol === 'tcp' || packet.protocol === 'udp'
  const port = packet.destination_port ?? 0
  return {
    protocol: packet.protocol,
    source,
    destination: destination === null ? null : [destination, destination],
    sourcePort: hasPorts ? (packet.source_port ?? 0) : null,
    destinationPorts: hasPorts ? [port, port] : null,
    incoming: packet.incoming_interface,
    outgoing: null,
    time: packet.time,
    members: membersOf(packet),
  }
}

function membersOf({ source, destination, sourceMembers, destinationMembers, otherMembers }: Packet): MembersAt {
  const known = { ...otherMembers, ...(destinationMembers && { [destination]: destinationMembers }) }
  const all = { ...known, ...(sourceMembers && { [source]: sourceMembers }) }
  return new Map(
    Object.entries(all).flatMap(([text, ids]) => {
      const address = parseAddress(text)
      return address === null ? [] : [[address, ids] as const]
    }),
  )
}

/** Filters by hardware address never name IPv4, and an IPv6 packet of the question has no hardware address. */
function findHardwareDrop({ hardware, devices }: Policy, flow: Flow): HardwareFilter['mode'] | null {
  const { source, destination, incoming } = flow
  if (hardware === null || source === null || destination === null) return null
  if (incoming === null || !devices.includes(incoming)) return null
  const isDropped =
    (hardware.mode === 'src-ip' && hardware.entries.includes(source)) ||
    (hardware.mode === 'dst-ip' && hardware.entries.includes(destination[0])) ||
    (hardware.mode === 'src-and-dst-ip' &&
      hardware.entries.some((entry) => entry.source === source && entry.destination === destination[0]))
  return isDropped ? hardware.mode : null
}

/** All rules are looked at and the last match decides, so without reasons the walk begins at the end. */
function walkLog({ policy, wantsReasons }: Question, flow: Flow): LogWalk {
  const rules = policy.rules.log
  const matches: PolicyRule[] = []
  const misses: Miss[] = []
  const uncertain: PolicyRule[] = []
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at] as PolicyRule
    const match = matchRule(rule, flow)
    if (matches.length === 0 && isUncertain(rule, flow, match)) uncertain.push(rule)
    if (match.kind === 'miss') misses.push({ rule, field: match.field })
    else matches.push(rule)
    if (matches.length > 0 && !wantsReasons) break
  }
  const rule = matches[0] ?? null
  return {
    rule,
    isMarked: rule?.action.kind === 'mark' && rule.action.isLogged,
    outgoing: flow.outgoing,
    matches: wantsReasons ? matches.toReversed() : [],
    misses: wantsReasons ? misses.slice(0, maxMisses).toReversed() : [],
    missCount: misses.length,
    uncertain,
  }
}

/** First match. A cut is possible only behind DNAT. */
function walk(rules: readonly PolicyRule[], flow: Flow, wantsReasons: boolean): Walk | Cut {
  const misses: Miss[] = []
  const uncertain: PolicyRule[] = []
  let rule: PolicyRule | null = null
  let missCount = 0
  for (const candidate of rules) {
    const match = matchRule(candidate, flow)
    if (isUncertain(candidate, flow, match)) uncertain.push(candidate)
    if (match.kind === 'cut') return match.cut
    if (match.kind === 'match') {
      rule = candidate
      break
    }
    missCount++
    if (wantsReasons) misses.push({ rule: candidate, field: match.field })
  }
  return { rule, misses: misses.slice(-maxMisses), missCount, uncertain }
}

function translate(rule: PolicyRule | null, flow: Flow): Translation {
  if (rule?.action.kind !== 'dnat') return { addresses: null, ports: null }
  const { addresses, ports } = rule.action
  const port = flow.destinationPorts?.[0]
  if (ports === null || port === undefined) return { addresses, ports: null }
  return { addresses, ports: ports[0] <= port && port <= ports[1] ? [port, port] : ports }
}

function wayOf({ packet, routing }: Question, destination: Span | null): Way {
  return destination === null ? findIpv6Way(routing, packet.destination) : findWay(routing, destination)
}

const deviceOf = (way: Way): string | null => (way.kind === 'device' ? way.device : null)

type Before = Pick<Trace, 'droppedBy' | 'log' | 'dnat' | 'isIntercepted' | 'isAtPortal' | 'translation'> & {
  readonly records: readonly LogRecord[]
}

/** Takes the pool of DNAT apart until each part has one outcome. */
function finish(question: Question, flow: Flow, { records, ...before }: Before): Trace {
  const outcomes: Outcome[] = []
  const open = [flow]
  while (open.length > 0 && outcomes.length < maxOutcomes) {
    const part = open.pop() as Flow
    const result = inspected(question, part, passThrough(question, part, records))
    if ('verdict' in result) outcomes.push(result)
    else open.push(...split(part, result))
  }
  const verdicts = new Set(outcomes.map(({ verdict }) => verdict))
  const isComplete = open.length === 0
  const [verdict = null] = verdicts
  return { ...before, outcomes, isComplete, verdict: isComplete && verdicts.size === 1 ? verdict : null }
}

/** What becomes of inspection is decided last, for what is accepted. */
function inspected({ policy }: Question, flow: Flow, outcome: Outcome | Cut): Outcome | Cut {
  if (!('verdict' in outcome)) return outcome
  const inspection = inspect(policy.inspection, flow, outcome)
  return inspection !== null && 'at' in inspection ? inspection : { ...outcome, inspection }
}

/** The upper part first, so that the lower one is taken next. */
function split(flow: Flow, { field, at }: Cut): Flow[] {
  const name = field === 'destination_addresses' ? 'destination' : 'destinationPorts'
  const [low, high] = flow[name] as Span
  return [
    { ...flow, [name]: [at, high] },
    { ...flow, [name]: [low, at - 1] },
  ]
}

function passThrough(question: Question, flow: Flow, before: readonly LogRecord[]): Outcome | Cut {
  const way = wayOf(question, flow.destination)
  if (way.kind === 'cut') return { field: 'destination_addresses', at: way.at }
  const { destination, destinationPorts } = flow
  const nothing = {
    destination,
    destinationPorts,
    isTaken: false,
    access: null,
    walk: null,
    snat: null,
    outgoing: null,
    inspection: null,
    records: before,
  }
  if (way.kind === 'none') return { ...nothing, path: 'none', decidedBy: { kind: 'no_route' }, verdict: 'drop' }
  const outgoing = way.kind === 'own' ? null : way.device
  if (flow.incoming === null) return send(question, { ...flow, outgoing: outgoing ?? 'lo' }, nothing)
  return outgoing === null ? receive(question, flow, nothing) : forward(question, { ...flow, outgoing }, nothing)
}

type Start = Omit<Outcome, 'path' | 'decidedBy' | 'verdict'>

const bySystem = <V extends 'accept' | 'drop' | 'reject'>(origin: string, verdict: V, service: string | null = null) =>
  ({ decidedBy: { kind: 'system', origin, service }, verdict }) as const

function receive(question: Question, flow: Flow, start: Start): Outcome | Cut {
  if (flow.incoming === 'lo') return { ...start, path: 'input', ...bySystem('inp.sys.loopback', 'accept') }
  const { policy } = question
  const guarded = findGuarded(policy, flow)
  if (guarded !== null)
    return 'at' in guarded
      ? guarded
      : { ...start, path: 'input', ...bySystem(`inp.sys.${guarded.name}`, 'drop', guarded.title) }
  const closed = findClosed(policy, flow)
  if (closed !== null)
    return 'at' in closed
      ? closed
      : { ...start, path: 'input', ...bySystem(`inp.sys.${closed.name}`, 'drop', closed.title) }
  const direct = enterDirect(question, flow)
  if (direct !== null) return 'at' in direct ? direct : { ...start, path: 'input', ...direct }
  const service = findService(policy, 'input', flow)
  if (service !== null)
    return 'at' in service ? service : { ...start, path: 'input', ...bySystem(`inp.sys.${service.name}`, 'accept') }
  const found = walk(policy.rules.input, flow, question.wantsReasons)
  if ('at' in found) return found
  const decision = decide(question, 'input', flow, found.rule)
  if ('at' in decision) return decision
  const records = [...start.records, ...recordsOf(question, found.rule)]
  return { ...start, path: 'input', walk: found, ...decision, records }
}

/** The direct proxy: for local networks, and there for those who may reach the internet. */
function enterDirect(
  { policy, packet, routing }: Question,
  flow: Flow,
): Pick<Outcome, 'decidedBy' | 'verdict'> | Cut | null {
  const { web, authorization } = policy
  const ports = flow.destinationPorts
  if (web === null || web.directPort === null || flow.protocol !== 'tcp' || flow.source === null) return null
  const span: Span = [web.directPort, web.directPort]
  if (ports === null || !isLocalDevice(web.side, flow.incoming) || !touches(ports, span)) return null
  if (!isWithin(ports, span)) return { field: 'destination_ports', at: borderOf(ports, span) }
  const spoof = findSpoof(authorization, flow, packet, routing)
  if (spoof !== null) return unauthorized(spoof, 'drop')
  const refusal = findRefusalInside(authorization, flow, packet, routing)
  return refusal === null ? bySystem(directOrigin, 'accept') : unauthorized(refusal, 'reject')
}

const unauthorized = <V extends 'drop' | 'reject'>(refusal: Refusal, verdict: V) =>
  ({ decidedBy: { kind: 'authorization', refusal }, verdict }) as const

function forward(question: Question, flow: Flow, start: Start): Outcome | Cut {
  const { policy, packet, routing } = question
  const plain = { ...start, path: 'forward', outgoing: flow.outgoing } as const
  if (policy.isBlocked) return { ...plain, ...bySystem('fwd.sys.blocked', 'drop') }
  const spoof = findSpoof(policy.authorization, flow, packet, routing)
  if (spoof !== null) return { ...plain, ...unauthorized(spoof, 'drop') }
  const refusal = findRefusal(policy, flow, packet, routing)
  const isMoved = isTranslated(flow, question.original)
  if (typeof isMoved === 'object') return isMoved
  const asked = { stage: policy.web, externalDevices: policy.externalDevices }
  const outcome = { ...plain, isTaken: !isMoved && refusal === null && isTaken(asked, flow) }
  // Access lists have a chain of their own in front of the others.
  if (refusal !== null && policy.access !== null) return { ...outcome, ...unauthorized(refusal, 'reject') }
  const access = policy.access === null ? null : walkAccess(policy.access, flow)
  if (access !== null && 'at' in access) return access
  const records = [...start.records, ...accessRecords(policy.access, access)]
  if (access?.isAllowed === false)
    return { ...outcome, access, decidedBy: { kind: 'access', result: access }, verdict: 'drop', records }
  const isHeld = isRefused(policy.dns, flow)
  if (typeof isHeld === 'object') return isHeld
  if (isHeld) return { ...outcome, access, ...bySystem(interceptionOrigin, 'drop'), records }
  const unreadable = findUnreadable(asked, flow)
  if (typeof unreadable === 'object' && unreadable !== null) return unreadable
  if (unreadable !== null) return { ...outcome, access, ...bySystem(unreadable, 'reject'), records }
  if (refusal !== null) return { ...outcome, ...unauthorized(refusal, 'reject') }
  return leave(question, flow, { ...outcome, access, records })
}

/** What the gateway sends to itself never leaves it. */
function send(question: Question, flow: Flow, start: Start): Outcome | Cut {
  const outcome = { ...start, path: 'output', outgoing: flow.outgoing } as const
  if (flow.outgoing === 'lo') return { ...outcome, ...bySystem('out.sys.loopback', 'accept') }
  const service = findService(question.policy, 'output', flow)
  if (service === null) return leave(question, flow, outcome)
  return 'at' in service
    ? service
    : hide(question, flow, { ...outcome, ...bySystem(`out.sys.${service.name}`, 'accept') })
}

/** The first port that the packet may not reach from outside. */
function findClosed({ closedPorts, externalDevices }: Policy, flow: Flow): ClosedPort | Cut | null {
  const { incoming, protocol, destinationPorts: ports } = flow
  if (ports === null || !externalDevices.includes(incoming ?? '')) return null
  for (const port of closedPorts) {
    const span: Span = [port.destinationPort, port.destinationPort]
    if (port.protocol !== protocol || !touches(ports, span)) continue
    return isWithin(ports, span) ? port : { field: 'destination_ports', at: borderOf(ports, span) }
  }
  return null
}

/** The first port that the packet is for and that its sender may not reach. */
function findGuarded(policy: Policy, flow: Flow): GuardedPort | Cut | null {
  const { protocol, destinationPorts: ports } = flow
  if (ports === null) return null
  for (const port of policy.guardedPorts) {
    const span: Span = [port.destinationPort, port.destinationPort]
    if (port.protocol !== protocol || !touches(ports, span) || isListed(port, policy, flow)) continue
    return isWithin(ports, span) ? port : { field: 'destination_ports', at: borderOf(ports, span) }
  }
  return null
}

/** The first service that the packet belongs to. */
function findService({ services }: Policy, way: OpenService['way'], flow: Flow): OpenService | Cut | null {
  const { source, destination, sourcePort, destinationPorts: ports } = flow
  const device = way === 'input' ? flow.incoming : flow.outgoing
  if (source === null || destination === null || ports === null) return null
  const peer = way === 'input' ? source : destination[0]
  for (const service of services) {
    if (service.way !== way || service.protocol !== flow.protocol) continue
    if (service.devices !== null && (device === null || !service.devices.includes(device))) continue
    if (service.peers !== null && !service.peers.includes(peer)) continue
    if (service.sourcePort !== null && service.sourcePort !== sourcePort) continue
    const span: Span = [service.destinationPort, service.destinationPort]
    if (!touches(ports, span)) continue
    return isWithin(ports, span) ? service : { field: 'destination_ports', at: borderOf(ports, span) }
  }
  return null
}

/** The forward rules (of those, what the gateway sends meets only the ones that name it), then SNAT. */
function leave(question: Question, flow: Flow, start: Omit<Outcome, 'decidedBy' | 'verdict'>): Outcome | Cut {
  const { policy, wantsReasons } = question
  const found = walk(policy.rules.forward, flow, wantsReasons)
  if ('at' in found) return found
  const decision = decide(question, 'forward', flow, found.rule)
  if ('at' in decision) return decision
  const records = [...start.records, ...recordsOf(question, found.rule)]
  const outcome = { ...start, walk: found, ...decision, records }
  return decision.verdict === 'accept' ? hide(question, flow, outcome) : outcome
}

function hide(question: Question, flow: Flow, outcome: Outcome): Outcome | Cut {
  const { policy, wantsReasons } = question
  const translated = walk(policy.rules.snat, flow, wantsReasons)
  if ('at' in translated) return translated
  const snat = hideSource(policy, flow, translated)
  return { ...outcome, snat, records: [...outcome.records, ...recordsOf(question, translated.rule)] }
}

function decide(
  { policy, packet, original }: Question,
  path: 'input' | 'forward',
  flow: Flow,
  rule: PolicyRule | null,
): Pick<Outcome, 'decidedBy' | 'verdict'> | Cut {
  if (rule !== null) return { decidedBy: { kind: 'rule', rule }, verdict: verdictOf(rule) }
  const outside = decideOutside(policy, path, flow, original, packet.source)
  if (outside === null) return { decidedBy: { kind: 'default' }, verdict: 'accept' }
  return 'at' in outside ? outside : bySystem(outside.origin, outside.verdict, outside.service)
}

const verdictOf = ({ action: { kind } }: PolicyRule): Outcome['verdict'] =>
  kind === 'drop' || kind === 'reject' ? kind : 'accept'

function hideSource(policy: Policy, flow: Flow, found: Walk): SnatResult {
  const device = flow.outgoing ?? ''
  const action = found.rule?.action
  if (action?.kind === 'snat') {
    const { addresses } = action
    return {
      walk: found,
      isAutomatic: false,
      source: addresses === null ? { kind: 'interface', device } : { kind: 'addresses', span: addresses },
    }
  }
  const isAutomatic =
    found.rule === null &&
    policy.hasAutomaticSnat &&
    policy.externalDevices.includes(device) &&
    flow.source !== null &&
    contains(privateSources, flow.source)
  return { walk: found, isAutomatic, source: isAutomatic ? { kind: 'interface', device } : { kind: 'kept' } }
}

function walkAccess({ bindings, isAllowedByDefault }: AccessStage, flow: Flow): AccessResult | Cut {
  const { source } = flow
  const otherwise = { binding: null, entry: null, isAllowed: isAllowedByDefault }
  if (source === null) return otherwise
  for (const binding of bindings) {
    if (!isIn(binding.members, flow, source)) continue
    if (binding.holders !== undefined && !isIn(binding.holders, flow, source)) continue
    for (const entry of binding.entries) {
      const match = matchEntry(entry, flow, source)
      if (match === true) return { binding, entry, isAllowed: entry.isAllowed }
      if (match !== false) return match
    }
  }
  return otherwise
}

function matchEntry(entry: AccessEntry, flow: Flow, source: number): boolean | Cut {
  if (entry.protocol !== null && entry.protocol !== flow.protocol) return false
  if (source < entry.source[0] || source > entry.source[1]) return false
  const [sourcePort, ports, span] = [flow.sourcePort, flow.destinationPorts, flow.destination as Span]
  if (entry.sourcePorts !== null && (sourcePort === null || !isWithin([sourcePort, sourcePort], entry.sourcePorts)))
    return false
  if (!touches(span, entry.destination)) return false
  if (entry.destinationPorts !== null && (ports === null || !touches(ports, entry.destinationPorts))) return false
  if (!isWithin(span, entry.destination))
    return { field: 'destination_addresses', at: borderOf(span, entry.destination) }
  if (entry.destinationPorts === null || isWithin(ports as Span, entry.destinationPorts)) return true
  return { field: 'destination_ports', at: borderOf(ports as Span, entry.destinationPorts) }
}

const touches = (a: Span, b: Span): boolean => a[0] <= b[1] && b[0] <= a[1]
const isWithin = (inner: Span, outer: Span): boolean => outer[0] <= inner[0] && inner[1] <= outer[1]
const borderOf = (span: Span, other: Span): number => (other[0] > span[0] ? other[0] : other[1] + 1)

const tableNames = { forward: 'FWD', input: 'INP', dnat: 'DNAT', snat: 'SNAT', log: 'LOG' } as const

function recordsOf({ policy, isMarked }: Question, rule: PolicyRule | null): LogRecord[] {
  if (rule === null || !isMarked) return []
  const action = loggedActionOf(rule)
  return policy.loggedActions.includes(action) ? [{ table: tableNames[rule.table], id: rule.id, action }] : []
}

function loggedActionOf({ action }: PolicyRule): LoggedAction {
  if (action.kind !== 'mark') return action.kind
  return action.isLogged ? 'mark_log' : 'mark_not_log'
}

const accessRecords = (stage: AccessStage | null, result: AccessResult | null): LogRecord[] =>
  stage?.isLogged && result !== null ? [{ table: 'ACL', id: null, action: result.isAllowed ? 'allow' : 'deny' }] : []
