// Ways to send an attack so that who looks on may see something else than the server: pieces of TCP and of IP in odd orders, with other
// bytes in the same place, and packets that only one of the two takes. Each is made of packets by hand.

import {
  cut,
  datagramBytes,
  type Ends,
  type Extension,
  extended,
  flag,
  fragments,
  type IpFamily,
  type IpFields,
  ipPacket,
  type Piece,
  padding,
  protocols,
  routing,
  takeId,
} from './crafted-packets.ts'
import type { FramePipe, HandTcp, Said } from './frame-pipe.ts'

export const marks = { tcp: '/steal-everything', udp: 'STEAL-EVERYTHING', dns: 'steal-everything' }
export const originPorts = { tcp: 8081, udp: 9999, dns: 5353, vxlan: 4789, geneve: 6081, teredo: 3544 }
/** What arrives with this, or less, is dropped outside: a router there would do that. */
export const shortLife = 2

const request = `GET ${marks.tcp} HTTP/1.1\r\nHost: origin.test\r\nAccept: */*\r\n\r\n`
const evilAt = request.indexOf('steal')
const evil = 'steal-everything'
const decoy = 'paint-everything'
const [before, behind] = [request.slice(0, evilAt), request.slice(evilAt + evil.length)]
const harmless = before + decoy + behind

export interface Case {
  readonly name: string
  readonly protocol: 'tcp' | 'udp' | 'dns'
  readonly families: readonly IpFamily[]
  /** The server takes it for the attack: one that does not arrive shows that this test does nothing. */
  readonly isTaken: boolean
  readonly syn?: Said
  send(tools: Tools): Promise<void>
}

export interface Tools {
  readonly pipe: FramePipe
  readonly ends: Ends
  /** Of the client. */
  readonly port: number
  /** Made, for cases over TCP. */
  readonly tcp: HandTcp
  /** Until the gateway and the server have had what was sent before. */
  settle(): Promise<void>
}

const both: readonly IpFamily[] = [4, 6]
const mtu = 1_400
/** Larger ones cannot be inspected, and are dropped. */
const longestPacket = 65_531

/** Bytes one by one, with their places. */
const single = (text: string): (readonly [number, string])[] => [...text].map((one, at) => [at, one] as const)

type Make = (tcp: HandTcp, tools: Tools) => readonly Buffer[]

const overTcp = (name: string, isTaken: boolean, make: Make, more: Partial<Case> = {}): Case => ({
  name,
  protocol: 'tcp',
  families: both,
  isTaken,
  ...more,
  send: async (tools) => tools.tcp.send(...make(tools.tcp, tools)),
})

/** Several goes, with time between them. */
const inGoes = (name: string, isTaken: boolean, goes: readonly Make[], more: Partial<Case> = {}): Case => ({
  name,
  protocol: 'tcp',
  families: both,
  isTaken,
  ...more,
  send: async (tools) => {
    for (const make of goes) {
      await tools.tcp.send(...make(tools.tcp, tools))
      await tools.settle()
    }
  },
})

const stamps: Said = { options: [2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 3, 0xe8, 0, 0, 0, 0, 1, 3, 3, 7] }
const whole: Make = (tcp) => [tcp.packet(0, request)]
const dying = { ttl: shortLife }

const segments: readonly Case[] = [
  overTcp('one segment', true, whole),
  overTcp('a byte in each segment', true, (tcp) => single(request).map(([at, one]) => tcp.packet(at, one))),
  overTcp('a byte in each segment, the last first', true, (tcp) =>
    single(request)
      .toReversed()
      .map(([at, one]) => tcp.packet(at, one)),
  ),
  overTcp('every second byte first', true, (tcp) =>
    [0, 1].flatMap((half) =>
      single(request)
        .filter(([at]) => at % 2 === half)
        .map(([at, one]) => tcp.packet(at, one)),
    ),
  ),
  overTcp('each byte twice', true, (tcp) =>
    single(request).flatMap(([at, one]) => [tcp.packet(at, one), tcp.packet(at, one)]),
  ),
  // What waits for the bytes before it is decided when these come.
  overTcp('other bytes wait in the place, the attack comes later', false, (tcp) => [
    tcp.packet(evilAt, decoy),
    tcp.packet(evilAt, evil),
    tcp.packet(evilAt + evil.length, behind),
    tcp.packet(0, before),
  ]),
  overTcp('the attack waits in the place, other bytes come later', false, (tcp) => [
    tcp.packet(evilAt, evil),
    tcp.packet(evilAt, decoy),
    tcp.packet(evilAt + evil.length, behind),
    tcp.packet(0, before),
  ]),
  overTcp('a longer segment over a waiting one', false, (tcp) => [
    tcp.packet(evilAt + 1, decoy.slice(1)),
    tcp.packet(evilAt, evil + behind),
    tcp.packet(0, before),
  ]),
  overTcp('a shorter segment over a waiting one', false, (tcp) => [
    tcp.packet(evilAt - 1, `/${decoy}${behind}`),
    tcp.packet(evilAt, evil),
    tcp.packet(0, before.slice(0, -1)),
  ]),
  overTcp('a tail over a waiting head', false, (tcp) => [
    tcp.packet(evilAt + 8, decoy.slice(8) + behind),
    tcp.packet(evilAt, evil),
    tcp.packet(0, before),
  ]),
  overTcp('bytes said again with others in them', false, (tcp) => [
    tcp.packet(0, harmless.slice(0, evilAt + 4)),
    tcp.packet(0, request),
    tcp.packet(0, harmless),
  ]),
  overTcp('harmless bytes with a bad checksum first', true, (tcp) => [
    tcp.packet(0, harmless, { hasBadChecksum: true }),
    tcp.packet(0, request),
  ]),
  overTcp('the attack with a bad checksum, then harmless bytes', false, (tcp) => [
    tcp.packet(0, request, { hasBadChecksum: true }),
    tcp.packet(0, harmless),
  ]),
  overTcp('harmless bytes that do not reach the server first', false, (tcp) => [
    tcp.packet(0, harmless, {}, dying),
    tcp.packet(0, request),
  ]),
  overTcp('a part that does not reach the server first', false, (tcp) => [
    tcp.packet(evilAt, decoy, {}, dying),
    tcp.packet(0, request),
  ]),
  ...[
    ['a reset', flag.rst],
    ['a reset with acknowledgement', flag.rst | flag.ack],
    ['an end', flag.fin | flag.ack],
    ['a beginning', flag.syn],
    ['a beginning with acknowledgement', flag.syn | flag.ack],
  ].flatMap(([name, flags]) => [
    overTcp(`${name} that does not reach the server first`, false, (tcp) => [
      tcp.packet(0, '', { flags: flags as number }, dying),
      tcp.packet(0, request),
    ]),
    inGoes(`${name} that does not reach the server in the middle`, false, [
      (tcp) => [tcp.packet(0, before)],
      (tcp) => [tcp.packet(evilAt, '', { flags: flags as number }, dying)],
      (tcp) => [tcp.packet(evilAt, evil + behind)],
    ]),
    overTcp(`${name} with a bad checksum first`, true, (tcp) => [
      tcp.packet(0, '', { flags: flags as number, hasBadChecksum: true }),
      tcp.packet(0, request),
    ]),
    overTcp(`${name} in the window, at another place`, false, (tcp) => [
      tcp.packet(700, '', { flags: flags as number }),
      tcp.packet(0, request),
    ]),
    overTcp(`${name} far outside of the window`, false, (tcp) => [
      tcp.packet(0x4000_0000, '', { flags: flags as number }),
      tcp.packet(0, request),
    ]),
    overTcp(`${name} at an old place`, false, (tcp) => [
      tcp.packet(-500, '', { flags: flags as number }),
      tcp.packet(0, request),
    ]),
  ]),
  // The rule about connections that are shut names the flags that it does not care for.
  ...[0, flag.ack, 0xff & ~flag.rst].flatMap((base) =>
    (base > flag.ack ? [0] : [0, flag.fin, flag.syn, flag.psh, flag.urg, flag.ece, flag.cwr]).map((more) =>
      overTcp(`the end, then the beginning with flags ${base | more}`, false, (tcp) => [
        tcp.packet(request.length, '', { flags: flag.ack | flag.fin }),
        tcp.packet(40, request.slice(40), { flags: base | more }),
        tcp.packet(0, request.slice(0, 40), { flags: base | more }),
      ]),
    ),
  ),
  overTcp('bytes far outside of the window first', true, (tcp) => [
    tcp.packet(0x4000_0000, harmless),
    tcp.packet(0x0800_0000, harmless),
    tcp.packet(0, request),
  ]),
  overTcp('harmless bytes that acknowledge what was never said first', true, (tcp) => [
    tcp.packet(0, harmless, { acknowledged: 7 }),
    tcp.packet(0, request),
  ]),
  overTcp('the attack acknowledges what was never said', false, (tcp) => [
    tcp.packet(0, request, { acknowledged: 0x7000_0000 }),
  ]),
  overTcp('harmless bytes without acknowledgement first', true, (tcp) => [
    tcp.packet(0, harmless, { flags: flag.psh }),
    tcp.packet(0, request),
  ]),
  overTcp('harmless bytes without any flag first', true, (tcp) => [
    tcp.packet(0, harmless, { flags: 0 }),
    tcp.packet(0, request),
  ]),
  overTcp('the attack with all flags', false, (tcp) => [tcp.packet(0, request, { flags: 0xff })]),
  overTcp('the attack with the flag of an end', true, (tcp) => [
    tcp.packet(0, request, { flags: flag.ack | flag.psh | flag.fin }),
  ]),
  overTcp('the attack with reserved bits', true, (tcp) => [tcp.packet(0, request, { reserved: 0x0f })]),
  overTcp('the attack with flags of congestion', true, (tcp) => [
    tcp.packet(0, request, { flags: flag.ack | flag.ece | flag.cwr }),
  ]),
  overTcp('an urgent byte in the attack', false, (tcp) => [
    tcp.packet(0, `${before}st`),
    tcp.packet(evilAt + 2, 'X', { flags: flag.ack | flag.psh | flag.urg, urgent: 1 }),
    tcp.packet(evilAt + 3, evil.slice(2) + behind),
  ]),
  overTcp('an urgent byte in one segment with the attack', false, (tcp) => [
    tcp.packet(0, `${before}stX${evil.slice(2)}${behind}`, {
      flags: flag.ack | flag.psh | flag.urg,
      urgent: evilAt + 3,
    }),
  ]),
  overTcp('several urgent bytes', false, (tcp) => [
    ...single('steal').flatMap(([at, one]) => [
      ...(at === 0 ? [tcp.packet(0, before)] : []),
      tcp.packet(evilAt + 2 * at, one),
      tcp.packet(evilAt + 2 * at + 1, 'X', { flags: flag.ack | flag.psh | flag.urg, urgent: 1 }),
    ]),
    tcp.packet(evilAt + 10, evil.slice(5) + behind),
  ]),
  overTcp('an urgent place far ahead', true, (tcp) => [
    tcp.packet(0, request, { flags: flag.ack | flag.psh | flag.urg, urgent: 3_000 }),
  ]),
  overTcp('an urgent byte that another makes an ordinary one', false, (tcp) => [
    tcp.packet(evilAt + 2, 'e', { flags: flag.ack | flag.psh | flag.urg, urgent: 1 }),
    tcp.packet(evilAt + 3, evil.slice(3) + behind, { flags: flag.ack | flag.psh | flag.urg, urgent: 60 }),
    tcp.packet(0, `${before}st`),
  ]),
  overTcp('no window', true, (tcp) => [tcp.packet(0, '', { window: 0 }), tcp.packet(0, request, { window: 0 })]),
  overTcp('the attack with the first packet', true, whole, { syn: { data: Buffer.from(request) } }),
  overTcp('harmless bytes with the first packet', true, whole, { syn: { data: Buffer.from(harmless) } }),
  overTcp('fast open without a cookie', false, whole, {
    syn: { data: Buffer.from(harmless), options: [2, 4, 5, 0xb4, 34, 2, 1, 1] },
  }),
  overTcp('fast open with a cookie', false, whole, {
    syn: { data: Buffer.from(harmless), options: [34, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1] },
  }),
  ...[
    ['push and urgent', flag.syn | flag.psh | flag.urg],
    ['flags of congestion', flag.syn | flag.ece | flag.cwr],
    ['push', flag.syn | flag.psh],
  ].map(([name, flags]) =>
    overTcp(`a first packet with ${name}`, true, whole, { syn: { flags: flags as number, options: [2, 4, 5, 0xb4] } }),
  ),
  overTcp(
    'harmless bytes from the past first',
    true,
    (tcp) => [
      tcp.packet(0, harmless, { options: tcp.stamp(1) }),
      tcp.packet(0, request, { options: tcp.stamp(1_002) }),
    ],
    { syn: stamps },
  ),
  overTcp(
    'harmless bytes from far ahead in time first',
    false,
    (tcp) => [
      tcp.packet(0, harmless, { options: tcp.stamp(0x7000_0000) }, dying),
      tcp.packet(0, request, { options: tcp.stamp(1_002) }),
    ],
    { syn: stamps },
  ),
  overTcp(
    'an empty segment from far ahead in time first',
    false,
    (tcp) => [
      tcp.packet(0, '', { options: tcp.stamp(0x7000_0000) }, dying),
      tcp.packet(0, request, { options: tcp.stamp(1_002) }),
    ],
    { syn: stamps },
  ),
  overTcp(
    'harmless bytes without a time where there are times',
    false,
    (tcp) => [...[tcp.packet(0, harmless), tcp.packet(0, request, { options: tcp.stamp(1_002) })]],
    { syn: stamps },
  ),
  overTcp('harmless bytes that are signed first', false, (tcp) => [
    tcp.packet(0, harmless, { options: [19, 18, ...Array<number>(16).fill(7), 1, 1] }),
    tcp.packet(0, request),
  ]),
  overTcp('a header with unknown options', true, (tcp) => [
    tcp.packet(0, request, { options: [253, 20, ...Array<number>(18).fill(1), 254, 20, ...Array<number>(18).fill(0)] }),
  ]),
  // The gateway comes to think that the server is far ahead of what the client knows of it, and that the client's packets are of no connection.
  inGoes('answers of the server that are made up', true, [
    (tcp) => [tcp.forged(60_000, 'x'.repeat(1_000))],
    (tcp) => [tcp.packet(0, '', tcp.heard(61_000), dying)],
    (tcp) => [tcp.forged(121_000, 'x'.repeat(1_000))],
    (tcp) => [tcp.packet(0, '', tcp.heard(122_000), dying)],
    (tcp) => [tcp.forged(182_000, 'x'.repeat(1_000))],
    whole,
  ]),
  overTcp('the end before the beginning', false, (tcp) => [
    tcp.packet(40, request.slice(40), { flags: flag.ack | flag.fin }),
    tcp.packet(0, request.slice(0, 40)),
  ]),
  overTcp('an empty end before the beginning', false, (tcp) => [
    tcp.packet(request.length, '', { flags: flag.ack | flag.fin }),
    tcp.packet(40, request.slice(40)),
    tcp.packet(0, request.slice(0, 40)),
  ]),
  // The engine thinks that the connection is over, and the kernel does not.
  overTcp('a reset behind bytes that do not reach the server', false, (tcp) => [
    tcp.packet(0, harmless, {}, dying),
    tcp.packet(0, '', { flags: flag.ack }),
    tcp.packet(harmless.length, '', { flags: flag.rst }, dying),
    tcp.packet(0, request),
  ]),
  inGoes('an empty segment that closes nothing, and a pause', true, [
    (tcp) => [tcp.packet(-1, '\0', { flags: flag.ack })],
    (tcp) => [tcp.packet(-1, 'x', { flags: flag.ack })],
    whole,
  ]),
  ...[20_000, 40_000, 60_000, 65_531, 65_532, 65_535].map((length) =>
    overTcp(
      `a segment in a packet of ${length} bytes`,
      // The window of the server is smaller.
      length <= 60_000,
      (tcp) => {
        const header = `GET ${marks.tcp} HTTP/1.1\r\nHost: origin.test\r\nX: `
        const data = `${header.padEnd(length - 40 - 4, 'x')}\r\n\r\n`
        return fragments(tcp.ends, protocols.tcp, cut(tcp.at(0, data), 1_400))
      },
      { families: [4] },
    ),
  ),
]

/** Fragments of the segment or the datagram with the attack. */
interface Splitting {
  readonly name: string
  readonly isTaken: boolean
  readonly families?: readonly IpFamily[]
  /** `other` has the same length and is harmless. */
  pieces(payload: Buffer, other: Buffer): readonly (readonly Piece[])[]
}

const sized = (size: number) => (payload: Buffer) => [cut(payload, size)]
const at = (payload: Buffer, from: number, to: number, hasMore = true): Piece => ({
  offset: from,
  data: payload.subarray(from, to),
  hasMore,
})
const half = (payload: Buffer): number => Math.floor(payload.length / 16) * 8

const splittings: readonly Splitting[] = [
  { name: 'in fragments', isTaken: true, pieces: sized(24) },
  // Over IPv6 the first fragment has to have the whole header of TCP.
  { name: 'in the smallest fragments', isTaken: false, pieces: sized(8) },
  { name: 'in fragments, the last first', isTaken: true, pieces: (all) => [cut(all, 24).toReversed()] },
  {
    name: 'in fragments, the first last',
    isTaken: true,
    pieces: (all) => [[...cut(all, 24).slice(1), ...cut(all, 24).slice(0, 1)]],
  },
  { name: 'in fragments, each twice', isTaken: false, pieces: (all) => [cut(all, 24).flatMap((one) => [one, one])] },
  {
    name: 'in fragments, the last one late',
    // A kernel gives up when too many others come between.
    isTaken: false,
    pieces: (all) => [cut(all, 24).slice(0, -1), cut(all, 24).slice(-1)],
  },
  {
    name: 'in fragments over waiting harmless ones',
    isTaken: false,
    pieces: (all, other) => [[...cut(other, 24).slice(1), ...cut(all, 24)]],
  },
  {
    name: 'in fragments under later harmless ones',
    isTaken: false,
    pieces: (all, other) => [[...cut(all, 24).slice(1), ...cut(other, 24)]],
  },
  {
    name: 'in fragments that overlap by eight bytes',
    isTaken: false,
    pieces: (all, other) => [[at(other, 0, half(all) + 8), at(all, half(all), all.length, false)]],
  },
  {
    name: 'in fragments that overlap by eight bytes, the other way',
    isTaken: false,
    pieces: (all, other) => [[at(all, half(all), all.length, false), at(other, 0, half(all) + 8)]],
  },
  {
    name: 'in a fragment inside of another',
    isTaken: false,
    pieces: (all, other) => [[at(all, 24, 48), at(other, 0, other.length, false)]],
  },
  {
    name: 'in a fragment around another',
    isTaken: false,
    pieces: (all, other) => [[at(other, 24, 48), at(all, 0, all.length, false)]],
  },
  {
    name: 'in fragments with two ends',
    isTaken: false,
    pieces: (all, other) => [[at(all, 0, 24), at(other, 24, 48, false), at(all, 24, all.length, false)]],
  },
  {
    name: 'in fragments after an empty one',
    isTaken: false,
    pieces: (all) => [[{ offset: 0, data: Buffer.alloc(0), hasMore: true }, ...cut(all, 24)]],
  },
]

/** Headers between IPv6 and the content. */
const chains: readonly (readonly [string, boolean, readonly Extension[]])[] = [
  ['hop-by-hop options', true, [padding(0)]],
  ['large hop-by-hop options', false, [padding(0, 30)]],
  ['two sets of hop-by-hop options', false, [padding(0), padding(0)]],
  ['destination options', true, [padding(60)]],
  ['two sets of destination options', true, [padding(60), padding(60)]],
  ['three sets of destination options', true, [padding(60), padding(60), padding(60)]],
  ['twelve sets of destination options', true, Array.from({ length: 12 }, () => padding(60))],
  ['large destination options', false, [padding(60, 32)]],
  ['hop-by-hop and destination options', true, [padding(0), padding(60)]],
  ['a routing header of type 0', false, [routing(0)]],
  ['a routing header of type 2', false, [routing(2)]],
  ['a routing header of type 3', false, [routing(3)]],
  ['a routing header of type 4', false, [routing(4)]],
  ['a routing header of an unknown type', false, [routing(200)]],
  ['two routing headers', false, [routing(200), routing(200)]],
  ['destination options around a routing header', false, [padding(60), routing(200), padding(60)]],
  ['options that are unknown and may be skipped', true, [{ number: 60, body: [0, 0x1e, 4, 0, 0, 0, 0] }]],
  ['a header of mobility', false, [{ number: 135, body: [0, 0, 0, 0, 0, 0, 0] }]],
]

interface Content {
  readonly name: string
  readonly protocol: Case['protocol']
  /** Behind IP, with the attack and with harmless bytes of the same length. */
  make(tools: Tools): readonly [attack: Buffer, other: Buffer]
}

const query = (label: string): Buffer =>
  Buffer.from(`\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x10${label}\x04test\0\0\x01\0\x01`, 'latin1')

const contents: readonly Content[] = [
  {
    name: 'a segment',
    protocol: 'tcp',
    make: ({ tcp }) => [tcp.at(0, request), tcp.at(0, harmless)],
  },
  {
    name: 'a datagram',
    protocol: 'udp',
    make: ({ ends, port }) => [
      datagramBytes(ends, port, originPorts.udp, Buffer.from(`12345678901234567890 ${marks.udp} and so on, and so on`)),
      datagramBytes(
        ends,
        port,
        originPorts.udp,
        Buffer.from(`12345678901234567890 PAINT-EVERYTHING and so on, and so on`),
      ),
    ],
  },
  {
    name: 'a question for a name',
    protocol: 'dns',
    make: ({ ends, port }) => [
      datagramBytes(ends, port, originPorts.dns, query(evil)),
      datagramBytes(ends, port, originPorts.dns, query(decoy)),
    ],
  },
]

const numberOf = (protocol: Case['protocol']): number => (protocol === 'tcp' ? protocols.tcp : protocols.udp)

const split = contents.flatMap(({ name, protocol, make }) =>
  splittings.map(
    (splitting): Case => ({
      name: `${name} ${splitting.name}`,
      protocol,
      isTaken: splitting.isTaken,
      families: splitting.families ?? both,
      send: async (tools) => {
        const { pipe, ends, settle } = tools
        const goes = splitting.pieces(...make(tools))
        const packets = fragments(ends, numberOf(protocol), goes.flat())
        let sent = 0
        for (const go of goes) {
          if (sent > 0) await settle()
          await pipe.send(packets.slice(sent, sent + go.length))
          sent += go.length
        }
      },
    }),
  ),
)

/** Over TCP nothing of this is let through. */
const behindHeaders = contents.flatMap(({ name, protocol, make }) =>
  chains.flatMap(([header, isTaken, list]): Case[] => {
    const kinds: readonly (readonly [string, (tools: Tools, payload: Buffer) => Buffer[]])[] = [
      ['', ({ ends }, payload) => [ipPacket(ends, ...extended(list, numberOf(protocol), payload))]],
      [
        ', in fragments',
        ({ ends }, payload) => {
          const [next, bytes] = extended(list, numberOf(protocol), payload)
          return fragments(ends, next, cut(bytes, 64))
        },
      ],
      [
        ', in one fragment',
        ({ ends }, payload) => {
          const [next, bytes] = extended(list, numberOf(protocol), payload)
          return fragments(ends, next, [{ offset: 0, data: bytes, hasMore: false }])
        },
      ],
      [', before fragments', ({ ends }, payload) => fragments(ends, numberOf(protocol), cut(payload, 24), list)],
    ]
    return kinds.map(([kind, packets]) => ({
      name: `${name} behind ${header}${kind}`,
      protocol,
      families: [6],
      isTaken: isTaken && kind === '' && protocol !== 'tcp',
      send: async (tools) => tools.pipe.send(packets(tools, make(tools)[0])),
    }))
  }),
)

const inOneFragment = contents.map(
  ({ name, protocol, make }): Case => ({
    name: `${name} in one fragment`,
    protocol,
    families: [6],
    isTaken: protocol !== 'tcp',
    send: async (tools) =>
      tools.pipe.send(fragments(tools.ends, numberOf(protocol), [{ offset: 0, data: make(tools)[0], hasMore: false }])),
  }),
)

/** Options of IPv4. */
const marked: readonly (readonly [string, boolean, readonly number[]])[] = [
  ['no operation', true, [1, 1, 1, 1]],
  ['a recorded route', true, [7, 11, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  ['a loose source route that is used up', false, [131, 7, 8, 10, 10, 0, 1, 0]],
  ['a loose source route', false, [131, 7, 4, 203, 0, 113, 1, 0]],
  ['router alert', true, [148, 4, 0, 0]],
  ['a security label', true, [130, 4, 0, 0]],
]

const withOptions = contents.flatMap(({ name, protocol, make }) =>
  marked.map(
    ([option, isTaken, options]): Case => ({
      name: `${name} with ${option}`,
      protocol,
      families: [4],
      isTaken: isTaken && protocol !== 'tcp',
      send: async (tools) =>
        tools.pipe.send([ipPacket(tools.ends, numberOf(protocol), make(tools)[0], { options, id: takeId() })]),
    }),
  ),
)

const largest = [65_531, 65_532, 65_535].map(
  (length): Case => ({
    name: `a datagram in a packet of ${length} bytes`,
    protocol: 'udp',
    families: [4],
    isTaken: length <= longestPacket,
    send: async ({ pipe, ends, port }) => {
      const data = Buffer.alloc(length - 28, '.')
      data.write(marks.udp, 100)
      await pipe.send(fragments(ends, protocols.udp, cut(datagramBytes(ends, port, originPorts.udp, data), mtu)))
    },
  }),
)

/** Datagrams that look like a tunnel to an engine that takes them apart, and like any other to their server. */
const tunnels = (['vxlan', 'geneve', 'teredo'] as const).map(
  (kind): Case => ({
    name: `a datagram that looks like ${kind}`,
    protocol: 'udp',
    families: both,
    isTaken: true,
    send: async ({ pipe, ends, port }) => {
      const within = (inside: Ends): Buffer =>
        ipPacket(inside, protocols.udp, datagramBytes(inside, port, originPorts.udp, Buffer.from(marks.udp)))
      const ethernet = Buffer.from('0200000000020200000000010800', 'hex')
      const four = within({ source: '10.10.0.2', destination: '198.51.100.20' })
      const payload = {
        vxlan: Buffer.concat([Buffer.from('0800000000002a00', 'hex'), ethernet, four]),
        geneve: Buffer.concat([Buffer.from('0000655800002a00', 'hex'), ethernet, four]),
        teredo: within({ source: 'fd00:a::2', destination: 'fd00:c::20' }),
      }
      await pipe.send([ipPacket(ends, protocols.udp, datagramBytes(ends, port, originPorts[kind], payload[kind]))])
    },
  }),
)

interface Step {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly more: Said
  readonly fields: IpFields
  readonly isCut: boolean
}

/**
 * The request in pieces that a seed decides: their lengths, their order, which come twice, with other bytes, with a bad checksum, urgent, or die on the
 * way, over IP in fragments or not.
 */
export function randomCase(random: () => number): Case {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const isRare = (): boolean => random() < 0.12
  const places: [number, number][] = []
  for (let from = 0; from < request.length; ) {
    const to = Math.min(request.length, from + one([1, 2, 3, 5, 8, 13, 21]))
    places.push([from, to])
    from = to
  }
  const order =
    random() < 0.5
      ? places
      : places
          .map((place) => [random(), place] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, place]) => place)
  const steps = order.flatMap(([from, to]): Step[] => {
    const said = [
      {
        text: request,
        from,
        to: Math.min(request.length, to + (isRare() ? 3 : 0)),
        more: {} as Said,
        fields: {},
        isCut: isRare(),
      },
    ]
    const spoilt = { text: harmless, from: Math.max(0, from - (isRare() ? 2 : 0)), to, isCut: isRare() }
    const kinds: readonly (readonly [Said, object])[] = [
      [{ hasBadChecksum: true }, {}],
      [{}, dying],
      [{}, {}],
      [{ flags: flag.ack | flag.urg, urgent: 1 }, {}],
      [{ flags: flag.rst }, dying],
      [{ flags: flag.ack | flag.fin }, dying],
      [{ flags: 0 }, {}],
      [{ acknowledged: 9 }, {}],
    ] as const
    if (!isRare()) return said
    const [more, fields] = one(kinds)
    const decoys = [{ ...spoilt, more, fields }]
    return random() < 0.5 ? [...decoys, ...said] : [...said, ...decoys]
  })
  return overTcp(`pieces by chance: ${steps.map(shownStep).join(' ')}`, false, (tcp) =>
    steps.flatMap(({ text, from, to, more, fields, isCut }) => {
      const segment = tcp.at(from, text.slice(from, to), more)
      return isCut
        ? fragments(tcp.ends, protocols.tcp, cut(segment, 24))
        : [ipPacket(tcp.ends, protocols.tcp, segment, fields)]
    }),
  )
}

const shownStep = ({ text, from, to, more, fields, isCut }: Step): string => {
  const kind = [text === request ? 'attack' : 'other', ...Object.entries(more).flat(), ...Object.entries(fields).flat()]
  return `${from}-${to} (${[...kind, ...(isCut ? ['cut'] : [])].join(' ')})`
}

export const cases: readonly Case[] = [
  ...segments,
  ...split,
  ...behindHeaders,
  ...inOneFragment,
  ...withOptions,
  ...largest,
  ...tunnels,
]
