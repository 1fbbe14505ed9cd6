// Turns the described packet into the one that the evaluator walks, and stored rules into the text of its answer. Pure.

import { invalid, type Problem, refuse } from '../../core/contract/error.ts'
import { findIn } from '../../core/model/item-index.ts'
import { pathOf } from '../../core/model/paths.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { authorizationOrigin } from '../../domain/policy/authorization.ts'
import { evaluate } from '../../domain/policy/evaluate.ts'
import type { RuleField } from '../../domain/policy/evaluate-match.ts'
import { routingOf } from '../../domain/policy/evaluate-routing.ts'
import type { Outcome, Packet, Trace } from '../../domain/policy/evaluate-trace.ts'
import {
  type Describe,
  type ExplainedOutcome,
  type Explanation,
  explain,
  placeOf,
  type RuleMention,
  type Step,
} from '../../domain/policy/explain.ts'
import type { Policy } from '../../domain/policy/model.ts'
import { parseAddress, parseSpan } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { devicesOf } from '../network/public.ts'
import { timeLists, timeRanges, titleOf } from '../objects/public.ts'
import { ruleSlots, ruleTables } from './config.ts'
import type { ExplainedPacket, OutcomeInspection, PacketUser } from './contract-explain.ts'
import type { Rule } from './contract-rules.ts'
import { explainInspection } from './explain-inspection.ts'
import type { FindOthers, People } from './people.ts'
import { policyOf } from './resolve.ts'

const daySeconds = 86_400
/** Schedules are resolved for 40 days; the last one may end within the day. */
const windowSeconds = 39 * daySeconds
const usualSourcePort = 49_152

export interface ExplainedFor extends Explanation {
  readonly outcomes: readonly (ExplainedOutcome & { readonly inspection: OutcomeInspection | null })[]
  readonly source: string
  readonly source_user: PacketUser | null
  readonly destination_user: PacketUser | null
}

export function explainPacket(
  config: Config,
  facts: Facts,
  asked: ExplainedPacket,
  { findOthers, ...known }: People & { readonly findOthers: FindOthers },
  now: number,
): ExplainedFor {
  const asSent = packetOf(config, facts, { ...asked, source: known.address }, known, now)
  const policy = policyOf(config, factsAt(facts, asSent.time))
  const routing = routingOf(facts, policy)
  const evaluated = (one: Packet): Trace => evaluate(policy, asJudged(one, known), routing, { reasons: true })
  const first = evaluated(asSent)
  // Who is where DNAT leads to is known only when it is known where that is.
  const others = first.translation.addresses && findOthers(first.translation.addresses)
  const packet = others ? { ...asSent, otherMembers: others.members } : asSent
  const trace = others ? evaluated(packet) : first
  const people = others ? { ...known, titles: { ...others.titles, ...known.titles } } : known
  const said = explain(trace, packet, describeIn(config))
  const memberAt =
    (destination: string | null) =>
    (rule: RuleMention, field: string): string => {
      const isSource = field === 'source_addresses'
      const members = isSource ? packet.sourceMembers : placeOf(packet, parseSpan(destination ?? '')).members
      return sayMember(findIn(config, ruleSlots[rule.table], rule.id), field, members, people.titles)
    }
  return {
    source: packet.source,
    source_user: people.source,
    destination_user: people.destination,
    ...said,
    steps: said.steps.map((step) => withMembers(step, memberAt(null))),
    outcomes: said.outcomes.map((outcome, index) => {
      const walked = outcome.steps.map((step) => withMembers(step, memberAt(outcome.destination)))
      const { step, inspection } = explainInspection(config, facts, policy, trace.outcomes[index] as Outcome)
      const steps = step === null ? walked : withInspection(walked, step)
      const authorization = outcome.path === 'forward' ? sayAuthorization(policy, packet, outcome, people) : null
      if (authorization === null) return { ...outcome, inspection, steps }
      const stage: Step = { stage: 'authorization', text: authorization, rule: null, passed: [], passed_count: 0 }
      const at = steps.findIndex((step) => step.stage === 'routing') + 1
      return { ...outcome, inspection, steps: steps.toSpliced(at, 0, stage) }
    }),
  }
}

/** Behind the rules, in front of the translation of the source. */
function withInspection(steps: readonly Step[], step: Step): readonly Step[] {
  const at = steps.findIndex(({ stage }) => stage === 'snat')
  return steps.toSpliced(at < 0 ? steps.length : at, 0, step)
}

/** What rules give a user is in the policy, which may be that of another configuration than the one in force. */
function asJudged(packet: Packet, { source, destination }: People): Packet {
  const { sourceMembers, destinationMembers, authorization, ...rest } = packet
  const isGiven = (user: PacketUser | null): boolean => /^(?:ip|ip_mac|net)$/.test(user?.type ?? '')
  const isByRule = isGiven(source) || source?.type === 'mac'
  return {
    ...rest,
    ...(sourceMembers && !isGiven(source) ? { sourceMembers } : {}),
    ...(destinationMembers && !isGiven(destination) ? { destinationMembers } : {}),
    ...(authorization && (!isByRule || authorization === 'suspended') ? { authorization } : {}),
  }
}

const addressFields = ['source_addresses', 'destination_addresses'] as const

/** The sentences about rules, with the users that they mean. */
function withMembers(step: Step, memberOf: (rule: RuleMention, field: string) => string): Step {
  const { rule } = step
  const added = rule === null ? [] : addressFields.map((field) => memberOf(rule, field)).filter((text) => text !== '')
  const passed = step.passed.map((miss) => {
    const member = addressFields.some((field) => field === miss.field) ? memberOf(miss, miss.field) : ''
    return member === '' ? miss : { ...miss, reason: `${miss.reason} ${member}` }
  })
  return { ...step, text: [step.text, ...added].join(' '), passed }
}

/** By which user or group of its list the rule knows the user at the address; '' when it does not, or no one is there. */
function sayMember(
  rule: Rule | undefined,
  field: string,
  members: readonly string[] = [],
  titles: People['titles'],
): string {
  const ids = field === 'source_addresses' ? rule?.source_addresses : rule?.destination_addresses
  const [user] = members
  const named = ids?.filter((id) => /^(?:user|group)\./.test(id)) ?? []
  if (user === undefined || named.length === 0) return ''
  const found = members.find((id) => named.includes(id))
  if (found === undefined) return `${titles[user]} is not one of the users it names.`
  return found === user ? `${titles[user]} is there.` : `${titles[user]} is in ${titles[found]}.`
}

/** Only what goes from local to external networks needs authorization. */
function sayAuthorization(
  { authorization: stage, externalDevices }: Policy,
  { authorization, incoming_interface, source }: Packet,
  {
    outgoing_interface,
    decided_by,
  }: { readonly outgoing_interface: string | null; readonly decided_by: string | null },
  { source: user, titles }: People,
): string | null {
  const isOutside = (device: string | null): boolean => device === null || externalDevices.includes(device)
  if (stage === null || isOutside(incoming_interface) || !isOutside(outgoing_interface)) return null
  const who = user ? (titles[user.user_id] ?? user.user_id) : ''
  const words = {
    session: `A session of ${who} authorizes ${source}.`,
    rule: `An authorization rule of ${who} authorizes ${source}.`,
    suspended: `${who} has more sessions than allowed: ${source} has to wait until another one ends.`,
    none: `Nothing authorizes ${source}.`,
  } as const
  const isRefused = decided_by === authorizationOrigin && authorization !== 'suspended'
  const state =
    authorization === undefined ? `It is not known who is at ${source}.` : words[isRefused ? 'none' : authorization]
  return stage.isEnforced ? state : `${state} Authorization is not enforced.`
}

/** Whether the schedules of these facts, and with them every rule as it is resolved already, hold at that time. */
export const isWithinSchedules = ({ scheduleDay }: Facts, time: number): boolean =>
  time >= scheduleDay && time < scheduleDay + windowSeconds

const otherDays = new WeakMap<Facts, Facts>()

/** Schedules around the time of the packet, not around today. The same facts for the same day, for which rules are resolved. */
function factsAt(facts: Facts, time: number): Facts {
  if (isWithinSchedules(facts, time)) return facts
  const known = otherDays.get(facts)
  if (known && isWithinSchedules(known, time)) return known
  const other = { ...facts, scheduleDay: Math.max(0, Math.floor(time / daySeconds) - 1) * daySeconds }
  otherDays.set(facts, other)
  return other
}

function packetOf(
  config: Config,
  facts: Facts,
  asked: ExplainedPacket & { readonly source: string },
  { fields }: People,
  now: number,
): Packet {
  const hasPorts = asked.protocol === 'tcp' || asked.protocol === 'udp'
  const source = canonicalAddress(asked.source)
  const destination = canonicalAddress(asked.destination)
  const problems: Problem[] = [
    ...(source === null ? [problem('source', say`Must be an IPv4 or IPv6 address.`)] : []),
    ...(destination === null ? [problem('destination', say`Must be an IPv4 or IPv6 address.`)] : []),
    ...portProblems(asked, hasPorts),
  ]
  if (source !== null && destination !== null && source.includes(':') !== destination.includes(':'))
    problems.push(problem('destination', say`Must be an address of the same kind as the source.`))
  refuse(problems)
  return {
    source: source ?? '',
    destination: destination ?? '',
    protocol: asked.protocol,
    ...(hasPorts
      ? { source_port: asked.source_port ?? usualSourcePort, destination_port: asked.destination_port ?? 0 }
      : {}),
    incoming_interface: deviceOf(config, facts, asked.incoming_interface),
    time: asked.time ?? now,
    ...fields,
  }
}

const problem = (field: string, message: SaidText): Problem => ({ field: `packet.${field}`, message })

function portProblems(asked: ExplainedPacket, hasPorts: boolean): Problem[] {
  if (hasPorts)
    return asked.destination_port === undefined ? [problem('destination_port', say`TCP and UDP need a port.`)] : []
  const given = (['source_port', 'destination_port'] as const).filter((field) => asked[field] !== undefined)
  return given.map((field) => problem(field, say`Only TCP and UDP have ports.`))
}

/** IPv4 as it is, IPv6 in the one spelling the kernel prints; null when it is neither. */
function canonicalAddress(text: string): string | null {
  if (parseAddress(text) !== null) return text
  const url = `http://[${text}]`
  return text.includes(':') && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null
}

function deviceOf(config: Config, facts: Facts, alias: string | null): string | null {
  if (alias === null || alias === 'interface.utm_outgoing') return null
  if (facts.interfaces.some(({ name }) => name === alias)) return alias
  const [device] = devicesOf(config, facts, alias)
  if (device === undefined)
    throw invalid('packet.incoming_interface', say`The interface ${alias} has no device on this machine.`)
  return device
}

/** The objects of a field with their titles, as many as fit a sentence. */
function describeIn(config: Config): Describe {
  return ({ table, id }, field) => {
    const value = findIn(config, ruleSlots[table], id)?.[field as RuleField & keyof Rule]
    const ids = Array.isArray(value) ? (value as readonly string[]) : [String(value ?? '')]
    const named = ids.slice(0, 3).map((id) => (titleOf(config, id) === id ? id : `${id} "${titleOf(config, id)}"`))
    return ids.length > named.length ? `${named.join(', ')} and ${ids.length - named.length} more` : named.join(', ')
  }
}

/** Equal for rules that do the same to a packet, inspection included. */
export const effectOf = (rule: Rule | undefined): string =>
  JSON.stringify([
    rule?.action,
    rule?.change_destination_address,
    rule?.change_destination_port,
    rule?.change_source_address,
    rule?.dpi_enabled && rule.dpi_profile,
    rule?.ips_enabled && rule.ips_profile,
  ])

/** Origins of the rules whose times are all over. `stamp` is the local time as YYYYMMDDhhmmss. */
export const expiredRules = (config: Config, stamp: number): string[] =>
  ruleTables.flatMap((table) =>
    read(config, ruleSlots[table])
      .filter((rule) => isExpired(config, rule, stamp))
      .map(({ id }) => pathOf(ruleSlots[table], id)),
  )

function isExpired(config: Config, { timetable }: Rule, stamp: number): boolean {
  const [first = 'any'] = timetable
  if (first === 'any') return false
  const ids = timetable.flatMap((id) => findIn(config, timeLists, id)?.values ?? [id])
  return ids.every((id) => {
    const last = findIn(config, timeRanges, id)?.period?.last
    return last !== undefined && last < stamp
  })
}
