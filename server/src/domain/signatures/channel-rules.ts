// The rules of the inspection engine: signatures and applications as the channels in use want them (decision 81). Made piece by
// piece, because forty thousand signatures have copies. Pure.

import { inspection } from '../../core/plan/inspection-marks.ts'
import {
  applicationGroup,
  canaryText,
  channelBit,
  channelGroup,
  endBits,
  firstApplicationSid,
  firstCanarySid,
  firstPacketGroup,
  generationBit,
  groupOfAction,
  lostBits,
  patternsPerApplication,
  shutBit,
} from './numbering.ts'
import { optionsOf } from './options.ts'
import { deciderOf, type ProfileRule } from './profile.ts'
import { weakeningFault } from './refused.ts'
import { type Action, actions, type Rule } from './rule.ts'

export interface ChannelContent {
  readonly number: number
  /** Of the profile of intrusion prevention; empty without one. */
  readonly rules: readonly ProfileRule[]
  /** Ids of applications that are denied. */
  readonly denied: readonly string[]
}

/** What is needed of an application (domain/applications/application.ts, which numbers its rules with this folder). */
export interface DeniedApplication {
  readonly id: string
  readonly name: string
  readonly number: number
  readonly patterns: readonly {
    readonly protocol: string
    readonly options: string
    readonly refusal: 'reject' | 'drop'
  }[]
}

export interface LeftOut {
  readonly sid: number
  readonly name: string
  readonly reason: string
}

export interface CompiledPart {
  /** Whole lines. */
  readonly text: string
  /** A signature that the channels want and that is not in the rules. */
  readonly leftOut?: LeftOut
}

/** Of a line in a rule file; the engine reads what goes beyond its own limit of 8,191 as another rule. */
const mostLineBytes = 8_000

export const unknownApplication = 'id.l7.unknown'

/** Traffic that the engine gave up to recognise. Only the side of the client, for the other one is often not recognised alone. */
const unknownPatterns: DeniedApplication['patterns'] = (['tcp', 'udp'] as const).map((protocol) => ({
  protocol,
  options: 'flow:to_server; app-layer-protocol:failed;',
  refusal: protocol === 'tcp' ? 'reject' : 'drop',
}))

/** Of IPv4 and IPv6. The DSCP field is the upper six bits of the second byte of IPv4, and of the traffic class of IPv6. */
const channelTests = (number: number): readonly [string, string] => [
  `ipv4.hdr; byte_test:1,=,${number},1,bitmask 0xfc;`,
  `ipv6.hdr; byte_test:2,=,${number},0,bitmask 0x0fc0;`,
]

/** The beginning of the file: the rules that tell channels apart, and application control. */
export function* ownRules(
  channels: readonly ChannelContent[],
  applications: readonly DeniedApplication[],
  generation: string,
): Generator<string> {
  const chosen = generationBit(generation)
  for (const { number } of channels) {
    // A connection can have the bit of another channel: the kernel forgot it earlier than the engine, and gave the next one another channel.
    const others = channels
      .filter((one) => one.number !== number)
      .map((one) => `flowbits:unset,${channelBit(one.number)};`)
    const set = [
      `flowbits:set,${chosen};`,
      ...others,
      `flowbits:set,${channelBit(number)}; noalert; gid:${channelGroup};`,
    ].join(' ')
    const header = 'alert ip any any -> any any'
    for (const [family, test] of channelTests(number).entries())
      yield `${header} (msg:"channel ${number}"; flowbits:isnotset,${chosen}; ${test} ${set} sid:${100 * family + number}; rev:1;)\n`
  }
  // It matches nothing. Without a rule about requests that reads the bit, Suricata 7.0.10 finds no rule that has both the bit and content (seen).
  for (const { number } of channels)
    yield `alert http any any -> any any (msg:"bit of channel ${number}"; flowbits:isset,${channelBit(number)}; http.protocol; content:"portcullis"; noalert; gid:${channelGroup}; sid:${200 + number}; rev:1;)\n`
  yield* unseenRules
  const denied = deniedIn(channels)
  const named = `n_${generation}`
  if (denied.has(unknownApplication)) for (const application of applications) yield* namingRules(application, named)
  for (const application of applications) {
    const numbers = denied.get(application.id)
    if (numbers === undefined) continue
    const bits = bitsOf(numbers)
    const isUnknown = application.id === unknownApplication
    yield* applicationRules(application, isUnknown ? `${bits} flowbits:isnotset,${named};` : bits)
  }
}

const quietRule = (action: string, sid: number, name: string, options: string): string =>
  `${action} tcp any any -> any any (msg:"${name}"; ${options} noalert; gid:${channelGroup}; sid:${sid}; rev:1;)\n`

/**
 * What the engine lets pass without a look, although a server may take it (decision 107).
 *
 * It looks at nothing that follows a reset from the same side. One that dies on the way leaves the server listening, so what follows one is
 * dropped: no host sends bytes behind its own reset. A new connection between the same ports has no bit.
 *
 * Neither does it look at a segment that goes beyond the window of its receiver, which takes the part that does not. No host sends that. After packets passed
 * by an engine that could not keep up, it does not know the window any more: then what the other side says does not fit either, and nothing is dropped.
 *
 * When the end of a connection comes before its first bytes, it takes these for lost and not for late (CheckGap counts below zero, seen in 7.0.10).
 *
 * The engine asks every rule about every packet, unless the packet lacks what the rule needs: an event, or a flag of a beginning or an end. So one
 * rule alone is about ordinary packets, and the others only shut the connection for it (decision 112).
 */
const unseenRules: readonly string[] = [
  quietRule('alert', 301, 'reset', `flags:R+; flowbits:set,${shutBit};`),
  // Bytes without a reset, that is with ACK: others are of no connection. Suricata 7.0.10 looks for `flags:!R` in first packets alone (seen).
  quietRule('drop', 302, 'shut', `flowbits:isset,${shutBit}; dsize:>0; flags:A,FSPUEC;`),
  ...(['to_server', 'to_client'] as const).flatMap((way, at) => [
    quietRule(
      ...(['alert', 311 + at, 'lost'] as const),
      `flow:${way}; stream-event:est_invalid_ack; flowbits:set,${lostBits[1 - at]};`,
    ),
    quietRule('alert', 331 + at, 'end', `flow:${way}; flags:F+; flowbits:set,${endBits[at]};`),
    quietRule(
      ...(['alert', 341 + at, 'gap'] as const),
      `flow:${way}; stream-event:reassembly_seq_gap; flowbits:isset,${endBits[at]}; flowbits:set,${shutBit};`,
    ),
    quietRule(
      ...(['drop', 321 + at, 'beyond the window'] as const),
      `flow:${way}; stream-event:est_packet_out_of_window; dsize:>0; flowbits:isnotset,${lostBits[at]};`,
    ),
  ]),
]

/** The channels that deny each application. */
function deniedIn(channels: readonly ChannelContent[]): ReadonlyMap<string, readonly number[]> {
  const denied = new Map<string, number[]>()
  for (const { number, denied: ids } of channels)
    for (const id of new Set(ids)) denied.set(id, [...(denied.get(id) ?? []), number])
  return denied
}

/** The longest list of channels that each channel shares a rule with. */
export function createLongestLists() {
  const longest = new Map<number, readonly number[]>()
  return {
    note: (numbers: readonly number[]): void => {
      for (const number of numbers)
        if ((longest.get(number)?.length ?? 0) < numbers.length) longest.set(number, numbers)
    },
    of: (number: number): readonly number[] | null => longest.get(number) ?? null,
  }
}
type LongestLists = ReturnType<typeof createLongestLists>

/**
 * The end of the file: the tests of channels. A test asks for what the rules of the profiles of its channel ask for, with the longest
 * list of channels that one of them has: where the engine cannot do that, the test fails with the rules.
 */
export function* testRules(
  channels: readonly ChannelContent[],
  applications: readonly DeniedApplication[],
  generation: string,
  ofSignatures: LongestLists,
): Generator<string> {
  const denied = deniedIn(channels)
  const ofApplications = createLongestLists()
  for (const { id } of applications) ofApplications.note(denied.get(id) ?? [])
  for (const { number } of channels) {
    const lists = [[number], ofSignatures.of(number), ofApplications.of(number)].filter((list) => list !== null)
    const bits = [...new Set(lists.map(bitsOf))].join(' ')
    yield `drop udp any any -> any ${inspection.firstCanaryPort + number} (msg:"test of channel ${number}"; ${bits} content:"${canaryText(generation)}"; noalert; gid:${channelGroup}; sid:${firstCanarySid + number}; rev:1;)\n`
  }
}

function* applicationRules({ id, name, number, patterns }: DeniedApplication, bits: string): Generator<string> {
  const own = id === unknownApplication && patterns.length === 0 ? unknownPatterns : patterns
  for (const [index, { protocol, options, refusal }] of own.slice(0, patternsPerApplication).entries()) {
    const sid = firstApplicationSid + patternsPerApplication * number + index
    // The client hears of it at once, no matter who sent the packet that was recognised, and no server waits for a client that is gone.
    const action = refusal === 'reject' ? 'rejectboth' : refusal
    // The tests of channels are datagrams of no application.
    const source = id === unknownApplication ? '!127.0.0.1' : 'any'
    yield `${action} ${protocol} ${source} any -> any any (msg:"${quote(name)}"; ${bits} ${options} gid:${applicationGroup}; sid:${sid}; rev:1;)\n`
  }
}

/**
 * What is recognised by its bytes is not unknown, although the detection of the engine gives up on it. These rules ask for no channel: the engine
 * looks at rules that only set a bit before those that read one, so the bit is there in time.
 */
function* namingRules({ number, patterns }: DeniedApplication, named: string): Generator<string> {
  for (const [index, { protocol, options }] of patterns.slice(0, patternsPerApplication).entries()) {
    if (!['tcp', 'udp'].includes(protocol) || options.includes('app-layer-protocol:')) continue
    const sid = firstApplicationSid + patternsPerApplication * number + index
    yield `alert ${protocol} any any -> any any (msg:"named"; ${options} flowbits:set,${named}; noalert; gid:${channelGroup}; sid:${sid}; rev:1;)\n`
  }
}

/** A signature in one copy for each action that a channel has for it; an empty text when no channel wants it. `lists` learns of the channels of each copy. */
export function createSignaturePrinter(
  channels: readonly ChannelContent[],
  generation: string,
  lists: LongestLists = createLongestLists(),
): (rule: Rule) => CompiledPart {
  // Channels often share a profile.
  const byRules = Map.groupBy(
    channels.filter(({ rules }) => rules.length > 0),
    ({ rules }) => JSON.stringify(rules),
  )
  const deciders = [...byRules.values()].map((sharing) => ({
    numbers: sharing.map(({ number }) => number),
    actionOf: deciderOf(sharing[0]?.rules ?? []),
  }))
  return (rule) => {
    const numbersOf = new Map<Action, number[]>()
    for (const { numbers, actionOf } of deciders) {
      const action = actionOf(rule.signature)
      if (action !== null) numbersOf.set(action, [...(numbersOf.get(action) ?? []), ...numbers])
    }
    return numbersOf.size === 0 ? nothing : printCopies(rule, numbersOf, { generation, lists })
  }
}

const nothing: CompiledPart = { text: '' }

interface PrintParts {
  readonly generation: string
  readonly lists: LongestLists
}

function printCopies(rule: Rule, wanted: ReadonlyMap<Action, readonly number[]>, parts: PrintParts): CompiledPart {
  const { sid, msg: name } = rule.signature
  const fault = weakeningFault(rule)
  if (fault !== null) return { text: '', leftOut: { sid, name, reason: fault } }
  const options = optionsOf(rule.text).map((option) => ({ ...option, name: option.name.toLowerCase() }))
  // It only marks the connection for others: anyone who turned it into a refusal would refuse what is harmless.
  const isSilent =
    rule.signature.action === 'alert' &&
    options.some(({ name, value }) => name === 'noalert' || (name === 'flowbits' && value === 'noalert'))
  const numbersOf = isSilent ? new Map([['alert' as const, [...wanted.values()].flat()]]) : wanted
  const body = bodyOf(rule.text, options.find(({ name }) => name === 'gid') ?? null)
  let text = ''
  for (const action of actions) {
    const numbers = numbersOf.get(action)
    if (numbers === undefined) continue
    const line = `${action}${body}${bitsOf(numbers)} gid:${groupOfAction[action]};)`
    if (bytesOf(line) > mostLineBytes) return { text: '', leftOut: { sid, name, reason: 'The rule is too long.' } }
    text += `${line}\n`
    if (action === 'pass' && isOfPackets(rule, options)) text += firstPackets(body, numbers, parts.generation)
  }
  for (const numbers of numbersOf.values()) parts.lists.note(numbers)
  return { text }
}

const packetProtocols: ReadonlySet<string> = new Set(['ip', 'tcp', 'udp', 'icmp'])
/**
 * Of application protocols, such as `http.uri`: the engine does not take them beside a header of IP, and judges them after the packet,
 * when the channel is marked.
 */
const ofApplications = /[._]|^(?:app-layer|urilen|uricontent)/

/** Can it match in the first packet of a connection? */
const isOfPackets = (rule: Rule, options: readonly { readonly name: string; readonly value: string }[]): boolean =>
  packetProtocols.has(rule.signature.protocol) &&
  !options.some(
    ({ name, value }) =>
      (name === 'flow' && value.includes('established')) || (ofApplications.test(name) && !packetOptions.has(name)),
  )
const packetOptions: ReadonlySet<string> = new Set([
  'fast_pattern',
  'byte_test',
  'byte_jump',
  'byte_extract',
  'byte_math',
  'detection_filter',
  'icmp_id',
  'icmp_seq',
])

/**
 * The engine judges exceptions before everything else, also before the rules that mark a connection with its channel. So in the first
 * packet they look for the number themselves.
 */
const firstPackets = (body: string, numbers: readonly number[], generation: string): string =>
  numbers
    .flatMap((number) =>
      channelTests(number).map(
        (test, family) =>
          `pass${body}flowbits:isnotset,${generationBit(generation)}; ${test} gid:${firstPacketGroup + 100 * family + number};)\n`,
      ),
    )
    .join('')

/** The rule without its action, its group and the closing parenthesis; from the space behind the action on. */
function bodyOf(text: string, group: { readonly from: number; readonly to: number } | null): string {
  const end = text.lastIndexOf(')')
  const start = text.search(/\s/)
  const body = group === null ? text.slice(start, end) : text.slice(start, group.from) + text.slice(group.to, end)
  return `${body.trimEnd()} `
}

/** A connection of one of the channels. */
const bitsOf = (numbers: readonly number[]): string =>
  `flowbits:isset,${numbers
    .toSorted((a, b) => a - b)
    .map(channelBit)
    .join('|')};`

const quote = (text: string): string => text.replaceAll(/[^ -~]/g, '?').replaceAll(/[\\";]/g, '\\$&')

/** Rules are mostly ASCII; every other character counts as the most that one can take. */
function bytesOf(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) bytes += text.charCodeAt(at) < 0x80 ? 1 : 3
  return bytes
}
