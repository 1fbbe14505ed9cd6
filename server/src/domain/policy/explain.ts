// The path of a packet in an administrator's words: each stage with what it did and why earlier rules did not match.
// evaluate.ts finds the path; titles of objects come from the caller. Pure.

import { printAddress, printSpan } from '../../shared/net/ipv4.ts'
import { authorizationOrigin } from './authorization.ts'
import { interceptionOrigin } from './dns.ts'
import type { RuleField } from './evaluate-match.ts'
import type { LogRecord, Miss, NewSource, Outcome, Packet, SnatResult, Trace, Verdict, Walk } from './evaluate-trace.ts'
import type { AddressMatch, PolicyRule, Refusal, RuleTable, Span } from './model.ts'
import { linkOrigin, outsideOrigins } from './outside.ts'
import { unresolvedOf } from './unresolved.ts'
import { directOrigin, quicOrigin, webIpv6Origin } from './web.ts'

/** Names what a rule says in a field, as `ip.id.3 "Web server"`; '' when there is nothing to add. */
export type Describe = (rule: PolicyRule, field: RuleField) => string

export interface RuleMention {
  readonly table: RuleTable
  readonly id: number
  readonly origin: string
}

export interface PassedRule extends RuleMention {
  readonly field: RuleField
  readonly reason: string
}

export type Stage =
  | 'hardware_filter'
  | 'log_marks'
  | 'dnat'
  | 'routing'
  | 'authorization'
  | 'web_proxy'
  | 'access_lists'
  | 'forward'
  | 'input'
  | 'output'
  | 'inspection'
  | 'snat'

export interface Step {
  readonly stage: Stage
  readonly text: string
  /** The rule that decided here. */
  readonly rule: RuleMention | null
  /** Rules of the stage that did not match: the last of them, and how many there were. */
  readonly passed: readonly PassedRule[]
  readonly passed_count: number
}

export interface ExplainedOutcome {
  /** An address, `first-last` or a network; null when it is IPv6. */
  readonly destination: string | null
  readonly destination_port: string | null
  readonly path: Outcome['path']
  readonly outgoing_interface: string | null
  readonly verdict: Verdict
  /** Origin of what decided: a rule, an entry of an access list, a system rule; null for the default. */
  readonly decided_by: string | null
  /** Null when it is kept or the packet does not leave. `interface` means the address of the outgoing interface. */
  readonly new_source: string | null
  readonly steps: readonly Step[]
  readonly logged: readonly LogRecord[]
}

export interface Explanation {
  /** `depends` when it matters which address or port DNAT picks. */
  readonly verdict: Verdict | 'depends'
  readonly is_marked: boolean
  /** Hardware filter, log marks and DNAT: the stages common to all paths. */
  readonly steps: readonly Step[]
  readonly outcomes: readonly ExplainedOutcome[]
  /** False when there are more paths than are listed, or a rule names what has no known addresses. */
  readonly is_complete: boolean
  /** Why it is not complete. */
  readonly incomplete_because: readonly string[]
}

export function explain(trace: Trace, packet: Packet, describe: Describe = () => ''): Explanation {
  const words = { packet, describe }
  const incomplete_because = sayIncomplete(trace)
  return {
    verdict: trace.verdict ?? 'depends',
    is_marked: trace.log?.isMarked ?? false,
    steps: explainStart(trace, words),
    outcomes: trace.outcomes.map((outcome) => explainOutcome(outcome, words)),
    is_complete: incomplete_because.length === 0,
    incomplete_because,
  }
}

/** The kernel lacks these rules as the evaluator does; the answer is another one as soon as the addresses are known. */
function sayIncomplete({ isComplete, log, dnat, outcomes }: Trace): string[] {
  const walks = [log, dnat, ...outcomes.flatMap(({ walk, snat }) => [walk, snat?.walk ?? null])]
  const uncertain = new Set(walks.flatMap((walk) => walk?.uncertain ?? []))
  return [
    ...(isComplete ? [] : ['There are more paths than are listed.']),
    ...[...uncertain].map((rule) => `${rule.table.toUpperCase()} rule ${rule.id}: ${unresolvedOf(rule)?.text ?? ''}`),
  ]
}

interface Words {
  readonly packet: Packet
  readonly describe: Describe
}

const step = (stage: Stage, text: string): Step => ({ stage, text, rule: null, passed: [], passed_count: 0 })

const mention = ({ table, id, origin }: PolicyRule): RuleMention => ({ table, id, origin })

/** Which sessions made the rule match, if it names users. */
function sayMembers({ source, destination }: PolicyRule, packet: Packet, place: Place): string {
  const shared = (match: AddressMatch | null, ids: readonly string[] = []): string =>
    match === null || match.isNegated ? '' : ids.filter((id) => match.members?.includes(id)).join(', ')
  const [from, to] = [shared(source, packet.sourceMembers), shared(destination, place.members)]
  const said = [
    ...(from === '' ? [] : [` It names ${from}: the session at the source ${packet.source}.`]),
    ...(to === '' ? [] : [` It names ${to}: the session at the destination ${place.address}.`]),
  ]
  return said.join('')
}

/** An address, and who has a session there. */
export interface Place {
  readonly address: string
  readonly members: readonly string[] | undefined
}

/** Where the packet is led to; behind DNAT that is not the address that was called, and may be one of several. */
export function placeOf(packet: Packet, destination: Span | null): Place {
  if (destination !== null && destination[0] !== destination[1])
    return { address: sayAddresses(destination), members: undefined }
  const address = destination === null ? packet.destination : printAddress(destination[0])
  if (address === packet.source) return { address, members: packet.sourceMembers }
  const others = packet.otherMembers?.[address]
  return { address, members: address === packet.destination ? packet.destinationMembers : others }
}

interface WalkWords {
  readonly packet: Packet
  readonly place: Place
  readonly reasons: (miss: Miss) => string
}

function walkStep(stage: Stage, walk: Walk, text: string, { packet, place, reasons }: WalkWords): Step {
  return {
    stage,
    text: walk.rule === null ? text : `${text}${sayMembers(walk.rule, packet, place)}`,
    rule: walk.rule === null ? null : mention(walk.rule),
    passed: walk.misses.map((miss) => ({ ...mention(miss.rule), field: miss.field, reason: reasons(miss) })),
    passed_count: walk.missCount,
  }
}

function explainStart(trace: Trace, words: Words): Step[] {
  if (trace.droppedBy !== null)
    return [step('hardware_filter', `The hardware filter (${trace.droppedBy}) drops the packet as it arrives.`)]
  const reasons = reasonsFor(words, {
    destination: null,
    destinationPorts: null,
    outgoing: trace.log?.outgoing ?? null,
  })
  const steps = [step('hardware_filter', 'No hardware filter drops the packet.')]
  const said = { packet: words.packet, place: placeOf(words.packet, null), reasons }
  if (trace.log !== null) steps.push(walkStep('log_marks', trace.log, sayMark(trace.log.rule), said))
  if (trace.dnat !== null) steps.push(walkStep('dnat', trace.dnat, sayDnat(trace, trace.dnat.rule), said))
  return steps
}

function sayMark(rule: PolicyRule | null): string {
  if (rule === null) return 'No logging rule matches: the connection is not logged.'
  const isLogged = rule.action.kind === 'mark' && rule.action.isLogged
  return `Logging rule ${rule.id} is the last that matches: the connection is ${isLogged ? '' : 'not '}logged.`
}

function sayDnat(
  { isIntercepted, isAtPortal, translation: { addresses, ports } }: Trace,
  rule: PolicyRule | null,
): string {
  if (isAtPortal) return 'The host is not authorized: its plain HTTP is redirected to the sign-in page of the gateway.'
  if (isIntercepted) return 'DNS interception: the gateway answers the query instead of the server it was sent to.'
  if (rule === null) return 'No DNAT rule matches: the destination stays.'
  if (rule.action.kind === 'accept') return `DNAT rule ${rule.id} leaves the destination as it is.`
  const changes = [
    ...(addresses === null ? [] : [`the destination becomes ${sayAddresses(addresses)}`]),
    ...(ports === null ? [] : [`the port becomes ${sayPorts(ports)}`]),
  ]
  const all = changes.length === 0 ? 'the destination stays' : changes.join(' and ')
  return `DNAT rule ${rule.id} translates: ${all}.`
}

const sayAddresses = ([low, high]: Span): string =>
  low === high ? printAddress(low) : `one of ${printAddress(low)}-${printAddress(high)}`
const sayPorts = ([low, high]: Span): string => (low === high ? `${low}` : `one of ${low}-${high}`)
const printPorts = ([low, high]: Span): string => (low === high ? `${low}` : `${low}-${high}`)

function explainOutcome(outcome: Outcome, words: Words): ExplainedOutcome {
  const { destination, destinationPorts, path, outgoing, verdict, snat, records } = outcome
  return {
    destination: destination === null ? null : printSpan(destination[0], destination[1]),
    destination_port: destinationPorts === null ? null : printPorts(destinationPorts),
    path,
    outgoing_interface: outgoing,
    verdict,
    decided_by: originOf(outcome),
    new_source: snat === null ? null : printSource(snat.source),
    steps: explainWay(outcome, words),
    logged: records,
  }
}

export function originOf({ decidedBy }: Pick<Outcome, 'decidedBy'>): string | null {
  if (decidedBy.kind === 'rule') return decidedBy.rule.origin
  if (decidedBy.kind === 'access') return decidedBy.result.entry?.origin ?? 'firewall.acl_state'
  if (decidedBy.kind === 'authorization') return authorizationOrigin
  return decidedBy.kind === 'system' ? decidedBy.origin : null
}

function printSource(source: NewSource): string | null {
  if (source.kind === 'addresses') return printSpan(source.span[0], source.span[1])
  return source.kind === 'interface' ? 'interface' : null
}

function explainWay(outcome: Outcome, words: Words): Step[] {
  const { path, walk, snat } = outcome
  const { packet } = words
  const said = { packet, place: placeOf(packet, outcome.destination), reasons: reasonsFor(words, outcome) }
  const steps = [step('routing', sayRoute(outcome, words.packet))]
  if (outcome.isTaken) steps.push(step('web_proxy', takenText))
  if (outcome.access !== null) steps.push(step('access_lists', sayAccess(outcome.access)))
  const isBySystem = outcome.decidedBy.kind === 'system'
  if (walk !== null && path !== 'none') steps.push(walkStep(path, walk, sayTable(path, walk.rule, isBySystem), said))
  if (isBySystem) steps.push(step(path === 'none' ? 'forward' : path, saySystem(outcome)))
  if (outcome.decidedBy.kind === 'authorization')
    steps.push(step('forward', sayRefusal(outcome.decidedBy.refusal, words.packet)))
  if (snat !== null) steps.push(walkStep('snat', snat.walk, saySnat(snat), said))
  return steps
}

function sayRoute({ path, outgoing, destination }: Outcome, packet: Packet): string {
  const to = destination === null ? packet.destination : sayAddresses(destination)
  if (path === 'none') return `There is no route to ${to}.`
  if (path === 'input') return `The packet is for the gateway itself (${to}).`
  return path === 'output'
    ? `The gateway sends the packet out of ${outgoing}.`
    : `The route to ${to} goes out of ${outgoing}.`
}

const takenText =
  'The web proxy takes the connection for the content filter. What it opens in the name of the client is judged as forwarded traffic.'

function sayAccess({ binding, entry, isAllowed }: NonNullable<Outcome['access']>): string {
  const does = isAllowed ? 'allows' : 'denies'
  if (entry === null) return `No entry of an access control list matches: the default ${does} the packet.`
  return `An entry of an access control list (${entry.origin}, bound by ${binding?.origin ?? ''}) ${does} the packet.`
}

const systemWords: Readonly<Record<string, string>> = {
  'fwd.sys.blocked': 'Everything that would be forwarded is blocked because rule tests failed.',
  [outsideOrigins.input.dropped]:
    'New connections from outside to the gateway are dropped, unless an INPUT rule accepts them, a DNAT rule translates them or a service is switched on for outside.',
  [outsideOrigins.forward.dropped]:
    'New connections from outside are not forwarded, unless a FORWARD rule accepts them or a DNAT rule translates them.',
  [outsideOrigins.input.translated]: 'The packet comes from outside and is accepted because a DNAT rule translated it.',
  [outsideOrigins.forward.translated]:
    'The packet comes from outside and is accepted because a DNAT rule translated it.',
  [linkOrigin]: 'The link to the provider needs this, so a system rule accepts it.',
  [quicOrigin]: 'QUIC is rejected, which the content filter could not read: browsers use TCP instead.',
  [webIpv6Origin]:
    'Web traffic over IPv6 is rejected while the content filter takes that over IPv4: clients use IPv4 instead.',
  [directOrigin]: 'The direct proxy is open for local networks: a system rule accepts the packet.',
  [interceptionOrigin]: 'DNS interception refuses encrypted queries, which the gateway could not answer.',
}

function sayRefusal(refusal: Refusal, { source, sourceMac }: Packet): string {
  switch (refusal) {
    case 'unknown':
      return `The host ${source} is not authorized: no authorization rule and no sign-in gives it access to external networks.`
    case 'suspended':
      return `The host ${source} is not authorized now: its user has more sessions than are allowed, and newer ones are in use.`
    case 'other_card':
      return `The address ${source} is bound to another card than ${sourceMac ?? 'the one that sent the packet'}: the packet is dropped.`
    case 'other_segment':
      return `The address ${source} is bound to a card in another segment: the route to it does not lead back to the interface that the packet came in by, and the packet is dropped.`
    case 'ipv6':
      return 'Only IPv4 hosts can be authorized: IPv6 to external networks is refused while authorization is enforced.'
  }
}

function saySystem({ decidedBy, verdict }: Outcome): string {
  const { origin, service } = decidedBy.kind === 'system' ? decidedBy : { origin: '', service: null }
  if (service !== null)
    return verdict === 'accept'
      ? `The ${service} is switched on for outside: a system rule accepts the packet.`
      : `The ${service} answers local networks only: a system rule drops packets from outside.`
  return systemWords[origin] ?? 'A system rule accepts the packet before any rule of an administrator.'
}

function sayTable(path: 'input' | 'forward' | 'output', rule: PolicyRule | null, isBySystem: boolean): string {
  const table = path === 'input' ? 'INPUT' : 'FORWARD'
  if (rule === null) return `No ${table} rule matches${isBySystem ? '.' : ': the packet is accepted by default.'}`
  return `${table} rule ${rule.id} ${sayAction(rule)} the packet.`
}

function sayAction({ action: { kind } }: PolicyRule): string {
  if (kind === 'reject') return 'rejects'
  return kind === 'drop' ? 'drops' : 'accepts'
}

function saySnat({ walk: { rule }, isAutomatic, source }: SnatResult): string {
  const to = source.kind === 'addresses' ? sayAddresses(source.span) : source.kind === 'interface' ? source.device : ''
  if (isAutomatic) return `Automatic SNAT: the source becomes the address of ${to}.`
  if (rule === null) return 'No SNAT rule matches: the source stays.'
  if (source.kind === 'kept') return `SNAT rule ${rule.id} leaves the source as it is.`
  return `SNAT rule ${rule.id}: the source becomes ${source.kind === 'interface' ? 'the address of ' : ''}${to}.`
}

/** Behind DNAT the destination is another one, so the words differ by where the rule was looked at. */
function reasonsFor(
  { packet, describe }: Words,
  {
    destination: addresses,
    destinationPorts: ports,
    outgoing,
  }: Pick<Outcome, 'destination' | 'destinationPorts' | 'outgoing'>,
): (miss: Miss) => string {
  const destination = addresses === null ? packet.destination : sayAddresses(addresses)
  const port = ports === null ? `${packet.destination_port ?? ''}` : sayPorts(ports)
  return ({ rule, field }) => {
    const added = describe(rule, field)
    const list = added === '' ? field : `${field} (${added})`
    return reasonOf(rule, field, list, { packet, destination, port, outgoing })
  }
}

interface Seen {
  readonly packet: Packet
  readonly destination: string
  readonly port: string
  readonly outgoing: string | null
}

function reasonOf(rule: PolicyRule, field: RuleField, list: string, seen: Seen): string {
  const { packet, destination, port, outgoing } = seen
  const isIn = (isNegated: boolean | undefined) => (isNegated ? 'is in' : 'is not in')
  const except = (isNegated: boolean | undefined) => (isNegated ? ', which is excepted' : '')
  switch (field) {
    case 'protocol':
      return `The protocol is ${packet.protocol}, not ${rule.protocol}.`
    case 'source_addresses':
      return `The source ${packet.source} ${isIn(rule.source?.isNegated)} ${list}${except(rule.source?.isNegated)}.`
    case 'source_ports':
      return `The source port ${packet.source_port ?? ''} is not in ${list}.`
    case 'incoming_interface':
      return packet.incoming_interface === null
        ? `The gateway itself sends the packet, which is not what ${list} names.`
        : `The packet comes in through ${packet.incoming_interface}, which is not in ${list}.`
    case 'destination_addresses':
      if (rule.destination === null) return 'The rule translates IPv4 only.'
      return `The destination ${destination} ${isIn(rule.destination.isNegated)} ${list}${except(rule.destination.isNegated)}.`
    case 'destination_ports':
      return `The destination port ${port} is not in ${list}.`
    case 'outgoing_interface':
      return outgoing === null
        ? `The packet leaves through no interface, so it is not in ${list}.`
        : `The packet leaves through ${outgoing}, which is not in ${list}.`
    case 'hip_profiles':
      return `The device with the address ${packet.source} has none of ${list}.`
    case 'timetable':
      return `The time of the packet is outside ${list}.`
  }
}
