// Inspection as nftables, behind the rules that chose the channel of a connection (decision 81). At priority 140 the number goes
// into the DSCP field of each packet, where a signature can read it; at 150 applyd's queue takes the packet; at 160 the field
// gets back what it had, which is in the packet mark in the meantime. Nothing of this exists while no channel is in use.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { channelMark, type InspectedChannel, inspection } from '../../core/plan/inspection-marks.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { clearChannel, isInChannel, setChannel } from './channel-mark.ts'
import { addressConditions } from './compile-rule.ts'
import type { AddressMatch, InspectionStage, OlderInspection, Policy } from './model.ts'
import {
  byMap,
  element,
  equals,
  hexNumber,
  hookHead,
  inSet,
  ipv6Start,
  isQuotableInterface,
  jump,
  mapHead,
  mapped,
  masked,
  type Nft,
  numbers,
  quoteInterface,
  rule,
  sentence,
  words,
} from './nft.ts'

export function inspectionPieces(policy: Policy): NftPiece[] {
  const { inspection: stage } = policy
  if (stage === null) return []
  const sets: NftPiece[] = []
  const choices = chooseLines(stage, sets)
  const isJudgingWeb = policy.web !== null && policy.web.interception !== null
  return [
    ...(choices.length === 0 ? [] : [chain('inspect_choose', choices), base('forward', 'choose', [choose])]),
    base('output', 'choose', [canaries, ...(isJudgingWeb && choices.length > 0 ? [chooseForProxy] : [])]),
    chain('inspect_canary', stage.channels.map(canaryLine)),
    ...stage.older.map(olderChain),
    ...stage.channels.map(tagChain),
    makePiece({
      kind: 'set',
      name: 'inspect_uplinks',
      head: words('typeof fib saddr oifname;'),
      origin: '',
      lines: policy.externalDevices.filter(isQuotableInterface).map(quoteInterface),
    }),
    map('inspect_channels', words('ct mark'), words('verdict'), stage.channels.map(channelElement)),
    ...unchanging,
    ...sets,
  ]
}

/** The device through which the source of a packet is reached. */
const fromWhere = words('fib saddr oifname')

const chain = (name: string, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'chain', name, head: '', lines, origin: '' })
const map = (name: string, key: Nft, value: Nft, lines: readonly Nft[]): NftPiece =>
  makePiece({ kind: 'map', name, head: mapHead(key, value), lines, origin: '' })

/** In front of the queue, which is at 150, and behind it. */
const priorities = { choose: 'filter + 130', tag: 'filter + 140', untag: 'filter + 160' } as const
const hooks = ['forward', 'input', 'output'] as const

function base(at: (typeof hooks)[number], step: keyof typeof priorities, lines: readonly Nft[]): NftPiece {
  const head = hookHead({ type: 'filter', at, priority: priorities[step] })
  return makePiece({ kind: 'chain', name: `inspect_${step}_${at}`, head, lines, origin: '' })
}

const choose = sentence(words('ct state new'), jump('inspect_choose'))
/** What the web proxy opens for clients was judged as forwarded, and is inspected as such. */
const chooseForProxy = sentence(words('ct state new ct mark & 0x4 == 0x4'), jump('inspect_choose'))

/** Exceptions first; then the first of the older rules whose hosts match. */
const chooseLines = ({ exceptions, older }: InspectionStage, sets: NftPiece[]): Nft[] => [
  ...exceptions.flatMap(({ origin, hosts }) =>
    onEitherSide(hosts, sets).map((parts) => rule(origin, ...parts, clearChannel, words('accept'))),
  ),
  ...older.flatMap((one) =>
    onEitherSide(one.hosts, sets).flatMap((parts) => [
      rule(one.origin, ...parts, jump(olderName(one))),
      rule(one.origin, ...parts, words('accept')),
    ]),
  ),
]

/** Conditions for packets from the hosts and for packets to them; null is everyone. */
function onEitherSide(hosts: AddressMatch | null, sets: NftPiece[]): readonly (readonly Nft[])[] {
  if (hosts === null) return [[]]
  if (hosts.ranges.length === 0 && (hosts.members ?? []).length === 0) return []
  return [
    ...addressConditions({ source: hosts, destination: null }, null, sets),
    ...addressConditions({ source: null, destination: hosts }, null, sets),
  ]
}

const olderName = ({ origin }: OlderInspection): string => `inspect_older_${/\d+/.exec(origin)?.[0] ?? ''}`

const olderChain = (one: OlderInspection): NftPiece =>
  chain(
    olderName(one),
    Object.entries(one.channels).map(([from, to]) =>
      rule(one.origin, isInChannel(Number(from)), setChannel(to), words('accept')),
    ),
  )

/** The test of a channel: datagrams that gatewayd sends to itself (areas/inspection/runs). */
const canaryPort = (number: number): number => inspection.firstCanaryPort + number
const canaries = sentence(
  equals(words('oifname'), quoteInterface('lo')),
  equals(words('udp dport'), numbers(canaryPort(1), canaryPort(inspection.mostChannels))),
  jump('inspect_canary'),
)
const canaryLine = ({ number }: InspectedChannel): Nft =>
  sentence(equals(words('udp dport'), numbers(canaryPort(number), canaryPort(number))), setChannel(number))

const tagName = (number: number): string => `inspect_tag_${number}`

/** A connection that the engine is done with has one bit more, and so is not in the map. */
const channelElement = ({ number }: InspectedChannel): Nft =>
  element(hexNumber(channelMark(number)), jump(tagName(number)))

const swapped = (key: number): number => (key % 0x100) * 0x100 + Math.floor(key / 0x100)

/** How the field is written and read; `keysOf` is what a value of it can look like where it is read. */
const families = [
  {
    header: 'ip',
    isFamily: words('meta nfproto ipv4'),
    kept: 'inspect_kept4',
    key: words('ip dscp'),
    field: words('ip dscp'),
    keysOf: (value: number) => [value],
  },
  {
    header: 'ip6',
    isFamily: words('meta nfproto ipv6'),
    kept: 'inspect_kept6',
    key: ipv6Start,
    field: masked(ipv6Start, 0xfc0),
    // nft 1.1 turns the masked field into the order of the machine before it looks it up, nft 1.0 does not. The two forms of
    // a key meet only at 0.
    keysOf: (value: number) => (value === 0 ? [0] : [value * 0x40, swapped(value * 0x40)]),
  },
] as const

const tagChain = ({ number }: InspectedChannel): NftPiece =>
  chain(tagName(number), [
    jump('inspect_plain'),
    ...families.flatMap(({ header, isFamily, kept, field }) => [
      sentence(isFamily, words('meta mark set'), mapped(field, kept)),
      sentence(isFamily, words(`${header} dscp set ${number}`)),
    ]),
  ])

/**
 * Anyone who can speak for both sides of a connection makes the engine believe that it missed something, and it stops looking (decision 107). So no host
 * inside has an address of the outside, and none outside has one of the inside. Before the kernel knows of the connection: it would believe the packet.
 */
const sourceLines: readonly Nft[] = [
  words('meta l4proto != tcp accept'),
  sentence(inSet(words('iifname'), 'if_external', true), inSet(fromWhere, 'inspect_uplinks'), words('drop')),
  sentence(inSet(words('iifname'), 'if_external'), inSet(fromWhere, 'inspect_uplinks', true), words('drop')),
]

/**
 * A packet that dies behind the gateway is seen by the engine and not by the server, so it gets as much life as any. Only between inside and outside: what goes
 * round in a circle comes back to where it leaves, and dies there as always.
 */
const leastLife = 64
const reachLines: readonly Nft[] = [
  ...[false, true].map((isInside) =>
    sentence(
      inSet(words('iifname'), 'if_external', isInside),
      inSet(words('oifname'), 'if_external', isInside),
      words('return'),
    ),
  ),
  words(`ip ttl < ${leastLife} ip ttl set ${leastLife}`),
  words(`ip6 hoplimit < ${leastLife} ip6 hoplimit set ${leastLife}`),
]
const reach = sentence(
  words(`meta l4proto tcp ct mark & ${hexNumber(inspection.doneBit)} == 0x0`),
  words(`ct mark & ${hexNumber(inspection.channelMask)} != 0x0`),
  jump('inspect_reach'),
)

const urgent = 0x20
/** Flags that the kernel takes along with it: SYN, ACK or FIN and ACK, each with PSH, ECE and CWR or without. nft cannot clear a single bit. */
const besideUrgent = [0x02, 0x10, 0x11].flatMap((kind) =>
  Array.from({ length: 8 }, (_, at) => kind + (at & 1) * 0x08 + (at >> 1) * 0x40),
)
const urgentLines: readonly Nft[] = besideUrgent.map((flags) =>
  words(`tcp flags == ${hexNumber(flags + urgent)} tcp flags set ${hexNumber(flags)}`),
)

/**
 * What the engine would see in another way than the server (decision 107). Of a packet that is larger than a message of the queue it gets
 * a part, which it cannot read. A byte that is urgent is not in the stream that a server reads, unless it asks for that: without the flag it is
 * for all.
 */
const plainLines: readonly Nft[] = [
  words(`meta length > ${inspection.longestPacket} drop`),
  // No host uses options of IP for TCP, and many routers drop packets with them: again the engine would see what the server does not.
  words('meta l4proto tcp ip hdrlength > 5 drop'),
  words('meta l4proto tcp ip6 nexthdr != tcp drop'),
  sentence(words(`tcp flags & ${hexNumber(urgent)} == ${hexNumber(urgent)}`), jump('inspect_urgent')),
]

const fields = Array.from({ length: 64 }, (_, value) => value)
const keptMark = (value: number): number => value * 2 ** inspection.keptShift
const restoreName = (value: number): string => `inspect_was_${value}`

const hasBit = (bit: number): Nft => words(`meta mark & ${hexNumber(bit)} == ${hexNumber(bit)}`)

/**
 * What does not depend on the policy. The packet mark alone says whether a packet has to be restored: the mark of its connection can
 * change while it waits. What other chains left in the packet mark is wiped first, so that it is not taken for that.
 */
const unchanging: readonly NftPiece[] = [
  ...hooks.flatMap((at) => [
    base(at, 'tag', [
      words('meta mark set 0x0'),
      ...(at === 'forward' ? [reach] : []),
      byMap(words(`ct mark & ${hexNumber(inspection.channelMask + inspection.doneBit)}`), 'inspect_channels'),
    ]),
    base(at, 'untag', [sentence(hasBit(inspection.taggedMark), jump('inspect_restore'))]),
  ]),
  makePiece({
    kind: 'chain',
    name: 'inspect_source',
    lines: sourceLines,
    origin: '',
    head: hookHead({ type: 'filter', at: 'prerouting', priority: 'raw' }),
  }),
  chain('inspect_reach', reachLines),
  chain('inspect_plain', plainLines),
  chain('inspect_urgent', urgentLines),
  chain('inspect_restore', [
    sentence(hasBit(inspection.doneMark), words(`ct mark set ct mark | ${hexNumber(inspection.doneBit)}`)),
    byMap(words(`meta mark & ${hexNumber(inspection.keptMask)}`), 'inspect_was'),
    words('meta mark set 0x0'),
  ]),
  ...families.map(({ kept, key, keysOf }) =>
    map(
      kept,
      key,
      words('meta mark'),
      fields.flatMap((value) =>
        keysOf(value).map((one) => element(hexNumber(one), hexNumber(inspection.taggedMark + keptMark(value)))),
      ),
    ),
  ),
  map(
    'inspect_was',
    words('meta mark'),
    words('verdict'),
    fields.map((value) => element(hexNumber(keptMark(value)), jump(restoreName(value)))),
  ),
  ...fields.map((value) =>
    chain(
      restoreName(value),
      families.map(({ header, isFamily }) => sentence(isFamily, words(`${header} dscp set ${value}`))),
    ),
  ),
]
