// Which tracked connections one policy lets through and another one refuses: those that a change of rules should end. A
// connection is judged like its first packet, and passes when it would be accepted on the way it took. Pure.

import { commonEnds } from '../../core/model/slots.ts'
import type { Facts, TrackedEnds } from '../../core/plan/facts.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { evaluate } from './evaluate.ts'
import { type Flow, matchRule } from './evaluate-match.ts'
import { findWay, type Routing, routingOf } from './evaluate-routing.ts'
import type { Outcome, Packet } from './evaluate-trace.ts'
import { originOf } from './explain.ts'
import type { Policy, PolicyRule, Span } from './model.ts'

/** Who is at an address by a session. */
export interface Place {
  /** The user and every group above; the user comes first. */
  readonly members: readonly string[]
  readonly isSuspended: boolean
  readonly mac: string | null
}

export interface Judged {
  readonly before: Policy
  readonly after: Policy
  readonly facts: Facts
  /** Unix seconds. */
  readonly time: number
  /** Absent where no sessions of users are known. */
  readonly placeOf?: (address: number) => Place | undefined
}

export interface RefusedConnection {
  readonly connection: TrackedEnds
  /** Origin of what refuses it now; null when it is not a rule. */
  readonly refusedBy: string | null
  /** `user.id.<n>` at its source. */
  readonly user: string | null
}

export function createJudge({
  before,
  after,
  facts,
  time,
  placeOf,
}: Judged): (connection: TrackedEnds) => RefusedConnection | null {
  const worlds = [before, after].map((policy) => ({ policy, routing: routingOf(facts, policy) }))
  const [old, now] = worlds as [World, World]
  const touched = isSameBeside(before, after) ? touchedRules(before, after) : null
  const devicesOf = deviceFinder(facts, now)
  return (connection) => {
    const source = parseAddress(connection.source)
    const called = parseAddress(connection.destination)
    const answeredBy = parseAddress(connection.answeredBy)
    if (source === null || called === null || answeredBy === null) return null
    const numbers = { source, called, answeredBy }
    let found: RefusedConnection | null = null
    for (const incoming of devicesOf(numbers)) {
      if (touched !== null && !mayMatch(touched, flowsOf(connection, numbers, incoming, now.routing, time))) continue
      const packet = packetOf(connection, numbers, incoming, time, placeOf)
      const verdictIn = (world: World): Verdict => verdictOf(world, packet, connection, answeredBy)
      const verdict = verdictIn(now)
      if (verdict.kind === 'refused' && verdictIn(old).kind === 'accepted')
        found ??= { connection, refusedBy: verdict.origin, user: placeOf?.(source)?.members[0] ?? null }
    }
    return found
  }
}

interface World {
  readonly policy: Policy
  readonly routing: Routing
}

interface Numbers {
  readonly source: number
  readonly called: number
  readonly answeredBy: number
}

type Verdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly origin: string | null }
  /** It depends on more than is known. */
  | { readonly kind: 'unknown' }

/** A translation that leads elsewhere refuses the connection as it is. */
function verdictOf({ policy, routing }: World, packet: Packet, connection: TrackedEnds, answeredBy: number): Verdict {
  const { droppedBy, outcomes, isComplete } = evaluate(policy, packet, routing, { reasons: false })
  if (droppedBy !== null) return { kind: 'refused', origin: 'firewall.hw_settings' }
  const outcome = outcomes.find((one) => leadsTo(one, answeredBy, connection.answeredPort))
  if (outcome)
    return outcome.verdict === 'accept' ? { kind: 'accepted' } : { kind: 'refused', origin: originOf(outcome) }
  if (!isComplete) return { kind: 'unknown' }
  const refusing = outcomes.find(({ verdict }) => verdict !== 'accept')
  return { kind: 'refused', origin: refusing ? originOf(refusing) : null }
}

const isWithin = (span: Span | null, value: number | null): boolean =>
  span === null || value === null || (span[0] <= value && value <= span[1])

const leadsTo = ({ destination, destinationPorts }: Outcome, address: number, port: number | null): boolean =>
  isWithin(destination, address) && isWithin(destinationPorts, port)

function packetOf(
  { protocol, source, sourcePort, destination, destinationPort, answeredBy }: TrackedEnds,
  numbers: Numbers,
  incoming: string | null,
  time: number,
  placeOf: Judged['placeOf'],
): Packet {
  const packet = {
    protocol,
    source,
    destination,
    time,
    incoming_interface: incoming,
    ...(sourcePort === null ? {} : { source_port: sourcePort }),
    ...(destinationPort === null ? {} : { destination_port: destinationPort }),
  }
  if (!placeOf) return packet
  const place = placeOf(numbers.source)
  return {
    ...packet,
    sourceMembers: place?.members ?? [],
    destinationMembers: placeOf(numbers.called)?.members ?? [],
    otherMembers: { [answeredBy]: placeOf(numbers.answeredBy)?.members ?? [] },
    // Without a session the rules say it.
    ...(place ? { authorization: place.isSuspended ? 'suspended' : 'session' } : {}),
    ...(place?.mac ? { sourceMac: place.mac, isBoundToCard: true } : {}),
  }
}

/**
 * Where a connection may have come in, which the kernel does not keep; null for the gateway itself. A source beyond the networks
 * of the gateway came in where the address is that it called. What goes out to the default route did not come from there: such
 * a source is behind a router of a local network, and any local device may be the one.
 */
function deviceFinder(facts: Facts, { policy, routing }: World): (numbers: Numbers) => readonly (string | null)[] {
  const holders = new Map(
    facts.interfaces.flatMap(({ name, addresses }) =>
      addresses.map((text) => [parseAddress(text.split('/')[0] ?? '') ?? -1, name] as const),
    ),
  )
  const local = facts.interfaces.map(({ name }) => name).filter((name) => !policy.externalDevices.includes(name))
  const connected = { ...routing, routes: routing.routes.filter(({ span }) => !isEverywhere(span)) }
  const far = routing.routes.find(({ span }) => isEverywhere(span))?.device ?? ''
  return ({ source, called, answeredBy }) => {
    const near = findWay(connected, [source, source])
    if (near.kind === 'own') return [null]
    if (near.kind === 'device') return [near.device]
    const holder = holders.get(called)
    if (holder !== undefined) return [holder]
    const way = findWay(routing, [answeredBy, answeredBy])
    return way.kind === 'device' && way.device === far && local.length > 0 ? local : [far]
  }
}

const isEverywhere = ([low, high]: Span): boolean => low === 0 && high === 0xffff_ffff

/** The parts of a policy that say nothing about what passes. */
const silent: ReadonlySet<string> = new Set([
  'rules',
  'countsHits',
  'loggedActions',
  'hasAutomaticSnat',
  'isClassifying',
])

function isSameBeside(before: Policy, after: Policy): boolean {
  const keys = (Object.keys(after) as (keyof Policy)[]).filter((key) => !silent.has(key))
  return keys.every((key) => before[key] === after[key] || JSON.stringify(before[key]) === JSON.stringify(after[key]))
}

type Touched = Readonly<Record<'dnat' | 'input' | 'forward', readonly PolicyRule[]>>

const touchedRules = ({ rules: before }: Policy, { rules: after }: Policy): Touched => ({
  dnat: moved(before.dnat, after.dnat).map(widened),
  input: moved(before.input, after.input).map(widened),
  forward: moved(before.forward, after.forward).map(widened),
})

/**
 * Rules without which both lists are the same: what matches none of them meets the same first match in both. Not always the
 * fewest, but one for a rule that was added, removed, changed or moved.
 */
export function moved<T>(before: readonly T[], after: readonly T[]): T[] {
  const [head, tail] = commonEnds(before, after)
  const old = before.slice(head, before.length - tail)
  const now = after.slice(head, after.length - tail)
  const [inOld, inNow] = [new Set(old), new Set(now)]
  const found = new Set<T>()
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    const [one, other] = [old[i], now[j]]
    if (i < old.length && (found.has(one as T) || !inNow.has(one as T))) found.add(old[i++] as T)
    else if (j < now.length && (found.has(other as T) || !inOld.has(other as T))) found.add(now[j++] as T)
    else if (one === other) {
      i++
      j++
    } else if (old[i + 1] === other) found.add(old[i++] as T)
    else found.add(now[j++] as T)
  }
  return [...found]
}

/** Whom a rule means by users changes with their sessions: it is looked at whatever the address is. */
const widened = (rule: PolicyRule): PolicyRule => ({
  ...rule,
  source: rule.source?.members?.length ? null : rule.source,
  destination: rule.destination?.members?.length ? null : rule.destination,
})

interface Flows {
  readonly called: Flow
  readonly answered: Flow
}

function flowsOf(
  { protocol, sourcePort, destinationPort, answeredPort }: TrackedEnds,
  { source, called, answeredBy }: Numbers,
  incoming: string | null,
  routing: Routing,
  time: number,
): Flows {
  const common = { protocol, source, sourcePort, incoming, time }
  const way = findWay(routing, [answeredBy, answeredBy])
  return {
    called: { ...common, destination: [called, called], destinationPorts: spanOf(destinationPort), outgoing: null },
    answered: {
      ...common,
      destination: [answeredBy, answeredBy],
      destinationPorts: spanOf(answeredPort),
      outgoing: way.kind === 'device' ? way.device : null,
    },
  }
}

const spanOf = (port: number | null): Span | null => (port === null ? null : [port, port])

function mayMatch({ dnat, input, forward }: Touched, { called, answered }: Flows): boolean {
  const matches = (rules: readonly PolicyRule[], flow: Flow): boolean =>
    rules.some((rule) => matchRule(rule, flow).kind !== 'miss')
  return matches(dnat, called) || (answered.outgoing === null ? matches(input, answered) : matches(forward, answered))
}
