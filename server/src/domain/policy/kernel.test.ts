// The evaluator against the kernel: random policies are compiled and loaded in a network of namespaces, random packets
// are sent through it, and what became of each one must be what the evaluator says. Needs root.
// Requirement 26.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import {
  forgetScript,
  gatewayProbe,
  listDifferences,
  outsideProbe,
  type Prediction,
  packetKey,
  readSighting,
  type SentPacket,
  senderPath,
  type Way,
} from '../../../test/support/packet-probe.ts'
import {
  drawPacket,
  drawPolicy,
  makeRandom,
  pick,
  routingIn,
  type Sizes,
  sampleWorld,
  type World,
} from '../../../test/support/random-policy.ts'
import {
  drawSessions,
  drawStage,
  fillScript,
  type KnownHosts,
  noHosts,
  type Sessions,
  withSessions,
} from '../../../test/support/random-sessions.ts'
import { unlessComplete } from '../../../test/support/requires.ts'
import { ourRuntime } from '../../../test/support/started.ts'
import { patienceMs } from '../../../test/support/until.ts'
import { closedPorts } from '../../core/engine/views.ts'
import { printTable } from '../../core/plan/nft-piece.ts'
import { dns as dnsEngine } from '../../engines/dns/index.ts'
import { parseAddress, parseSpan } from '../../shared/net/ipv4.ts'
import { toRanges } from '../../shared/net/ranges.ts'
import { authorizationOrigin, portalOrigin } from './authorization.ts'
import { automaticSnatOrigin, compilePolicy } from './compile.ts'
import { interceptionOrigin } from './dns.ts'
import { evaluate } from './evaluate.ts'
import type { Outcome, Trace } from './evaluate-trace.ts'
import type { DnsStage } from './model.ts'
import { type AuthorizationStage, emptyPolicy, type Policy, ruleTables } from './model.ts'

const [runtime, plain] = ourRuntime
const tag = `pe${process.pid}`
const [client, gateway, outside] = [`${tag}-client`, `${tag}-gateway`, `${tag}-outside`]
const world = { ...sampleWorld, now: Math.floor(Date.now() / 1000) }
const cards = { lan0: '02:00:00:00:0a:00', lan1: '02:00:00:00:0a:01' }
/** An address of the first segment that a host of the second one uses. */
const displaced = '10.66.0.18'
const addressOf = { lan0: '10.66.0.1', lan1: '10.66.1.1', dmz0: '10.66.2.1', wan0: '198.51.100.1' }

const needs = [
  ['nft', '--version'],
  ['ping', '-V'],
  ['unshare', '--net', 'true'],
] as const
const missing = needs.find(([program, ...args]) => run(program, args) === null)
const refused = missing === undefined ? false : unlessComplete(`cannot run ${missing.join(' ')}`)
const cannot = process.getuid?.() === 0 ? refused : 'needs root'

function run(program: string, args: readonly string[], input = ''): string | null {
  const { status, stdout } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 2 ** 28, timeout: 30_000 })
  return status === 0 ? stdout : null
}

function inside(namespace: string, program: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('ip', ['netns', 'exec', namespace, program, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: 30_000,
  })
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${stderr}\n${input.slice(0, 20_000)}`)
  return stdout
}

const ip = (namespace: string, lines: readonly string[]) =>
  inside(namespace, 'ip', ['-batch', '-'], `${lines.join('\n')}\n`)
const addresses = (device: string, list: readonly string[]) => list.map((it) => `address add ${it}/24 dev ${device}`)
const up = (...devices: string[]) => ['lo', ...devices].map((device) => `link set ${device} up`)

before(() => {
  if (cannot !== false) return
  for (const name of [client, gateway, outside]) assert.notEqual(run('ip', ['netns', 'add', name]), null)
  const cable = (near: string, far: string, to: string) => `link add ${near} type veth peer name ${far} netns ${to}`
  ip(client, [cable('c0', 'lan0', gateway), cable('c1', 'lan1', gateway)])
  ip(outside, [cable('n0', 'wan0', gateway), cable('n1', 'dmz0', gateway)])
  const settings = ['all/rp_filter=0', 'default/rp_filter=0', 'all/send_redirects=0', 'default/send_redirects=0']
  for (const name of [client, gateway, outside])
    for (const setting of ['ip_forward=1', ...settings.map((it) => `conf/${it}`)])
      inside(name, 'sysctl', ['-q', '-w', `net/ipv4/${setting}`])
  ip(client, [
    `link set c0 address ${cards.lan0}`,
    `link set c1 address ${cards.lan1}`,
    ...addresses('c0', [...world.sources.lan0, '10.66.0.2', '10.66.0.3', '10.66.0.4']),
    ...addresses('c1', world.sources.lan1),
    `address add ${displaced}/32 dev c1`,
    ...up('c0', 'c1'),
    'route add default via 10.66.0.1',
    'route add default via 10.66.1.1 dev c1 table 101',
    'route add 10.66.1.0/24 dev c1 table 101',
    'route add default via 203.0.113.1 dev c1 table 102',
    'rule add from 10.66.1.0/24 table 101',
    'rule add from 203.0.113.0/24 table 102',
    `rule add from ${displaced} table 101`,
  ])
  ip(gateway, [
    ...addresses('lan0', ['10.66.0.1']),
    ...addresses('lan1', ['10.66.1.1', '203.0.113.1']),
    ...addresses('dmz0', ['10.66.2.1']),
    ...addresses('wan0', ['198.51.100.1']),
    ...up('lan0', 'lan1', 'dmz0', 'wan0'),
    'route add default via 198.51.100.2',
  ])
  ip(outside, [
    ...addresses('n0', ['198.51.100.2']),
    ...addresses('n1', ['10.66.2.2']),
    ...up('n0', 'n1'),
    'route add local 10.66.2.8/29 dev lo',
    'route add local 10.66.2.16/28 dev lo',
    'route add local 192.0.2.0/24 dev lo',
    'route add default via 198.51.100.1',
  ])
  for (const name of [client, outside]) inside(name, 'nft', ['-f', '-'], outsideProbe)
  inside(gateway, 'nft', ['-f', '-'], gatewayProbe)
})

after(() => {
  if (cannot === false) for (const name of [client, gateway, outside]) run('ip', ['netns', 'delete', name])
})

function load(policy: Policy, sessions: Sessions, known: KnownHosts): void {
  const old = ['inet portcullis', 'netdev portcullis_hw'].map((name) => `table ${name} {}\ndelete table ${name}\n`)
  const tables = compilePolicy(policy)
  const texts = tables.map(({ name, pieces }) => printTable(name, pieces))
  inside(gateway, 'nft', ['-f', '-'], [...old, ...texts, fillScript(tables, sessions, known)].join(''))
}

function forget(): void {
  for (const name of [client, outside]) inside(name, 'nft', ['-f', '-'], forgetScript('outside'))
  inside(gateway, 'nft', ['-f', '-'], forgetScript('gateway'))
}

const look = () =>
  readSighting(
    inside(gateway, 'nft', ['-j', 'list', 'ruleset']),
    [client, outside].map((name) => inside(name, 'nft', ['-j', 'list', 'table', 'ip', 'probe'])),
  )

/** Connections that the kernel already knows would not be asked again, so no port comes twice. */
let nextPort = 20_000

function drawPackets(random: () => number, from: World, count: number): SentPacket[] {
  return Array.from({ length: count }, () => {
    const packet = drawPacket(random, from)
    return { destination_port: 0, ...packet, source_port: nextPort++ } as SentPacket
  })
}

const hardware = { mac: 'mac', 'src-ip': 'src_ip', 'dst-ip': 'dst_ip', 'src-and-dst-ip': 'src_dst_ip' } as const

function predict(trace: Trace, snat: Policy['rules']['snat']): Prediction {
  if (trace.droppedBy === null)
    return {
      isMarked: trace.log?.isMarked ?? false,
      ways: trace.outcomes.flatMap((outcome) => [wayOf(trace, outcome), ...refusedWays(trace, outcome, snat)]),
    }
  const origins = [`firewall.hw_${hardware[trace.droppedBy]}`]
  const dropped = { path: 'none', isAccepted: false, destination: null, destinationPorts: null, source: null } as const
  return { isMarked: false, ways: [{ ...dropped, origins }] }
}

function wayOf(trace: Trace, { path, verdict, destination, destinationPorts, ...outcome }: Outcome): Way {
  const { access, decidedBy, snat, walk } = outcome
  const origins = [
    trace.log?.rule?.origin,
    trace.dnat?.rule?.origin,
    trace.isIntercepted ? interceptionOrigin : undefined,
    trace.isAtPortal ? portalOrigin : undefined,
    decidedBy.kind === 'authorization' ? authorizationOrigin : undefined,
    decidedBy.kind === 'system' ? decidedBy.origin : undefined,
    access ? (access.entry?.origin ?? 'firewall.acl_state') : undefined,
    walk?.rule?.origin,
    snat?.walk.rule?.origin,
    snat?.isAutomatic ? automaticSnatOrigin : undefined,
  ].filter((it) => it !== undefined)
  return { path, isAccepted: verdict === 'accept', destination, destinationPorts, source: sourceOf(snat), origins }
}

/** The kernel's own answer to a packet that is refused belongs to its connection, and so may count with an SNAT rule. */
function refusedWays(trace: Trace, outcome: Outcome, snat: Policy['rules']['snat']): Way[] {
  const { decidedBy, verdict } = outcome
  const isHeld = decidedBy.kind === 'system' && decidedBy.origin === interceptionOrigin
  if (!isHeld && verdict !== 'reject') return []
  const way = wayOf(trace, outcome)
  return [...snat.map(({ origin }) => origin), automaticSnatOrigin].map((origin) => ({
    ...way,
    origins: [...way.origins, origin],
  }))
}

function sourceOf(snat: Outcome['snat']): Way['source'] {
  if (snat === null || snat.source.kind === 'kept') return null
  return snat.source.kind === 'interface' ? snat.source.device : snat.source.span
}

/** Local are the sides of the client; a DMZ counts as near in every other policy. */
const dnsStage = (seed: number): DnsStage => {
  const near = [...world.own, '10.66.0.0/24', '10.66.1.0/24', ...(seed % 2 === 0 ? ['10.66.2.0/24'] : [])]
  return {
    local: (['lan0', 'lan1'] as const).map((device) => ({ device, address: parseAddress(addressOf[device]) })),
    near: toRanges(near.flatMap((text) => [parseSpan(text)].filter((span) => span !== null))),
    isIntercepting: seed % 3 !== 0,
  }
}

/** By day there are fewer of each kind. */
const share = process.env.PORTCULLIS_NIGHTLY === '1' ? 1 : 0.1

const kinds: readonly {
  readonly title: string
  readonly policies: number
  readonly packets: number
  readonly sizes: Sizes
  readonly ports?: readonly number[]
  readonly external?: readonly string[]
  readonly dns?: (seed: number) => DnsStage
  /** With users who have sessions, and hosts that are authorized or not; `cards` has rules for cards as well. */
  readonly authorization?: 'hosts' | 'cards'
  /** How many changes are compiled, one after the other, before what they come to is loaded. */
  readonly changes?: number
}[] = [
  { title: 'small', policies: 40, packets: 60, sizes: { forward: 12, input: 8, dnat: 5, snat: 6, log: 6 } },
  {
    title: 'DNS',
    policies: 12,
    packets: 80,
    sizes: { forward: 6, input: 6, dnat: 4, snat: 3, log: 3 },
    ports: [53, 853, 8853, 443, 80],
    dns: dnsStage,
  },
  {
    title: 'list',
    policies: 20,
    packets: 80,
    sizes: { forward: 10, input: 6, dnat: 4, snat: 4, log: 4, listShare: 0.8 },
  },
  {
    title: 'outside',
    policies: 30,
    packets: 80,
    sizes: { forward: 6, input: 4, dnat: 6, snat: 3, log: 3 },
    external: ['wan0', 'lan1'],
  },
  {
    // Neither address nor port separates its rules, so that some are found first and carried out by their mark.
    title: 'translating',
    policies: 12,
    packets: 80,
    sizes: { forward: 3, input: 3, dnat: 400, snat: 3, log: 3, anyShare: 0.3 },
  },
  {
    title: 'user',
    policies: 25,
    packets: 80,
    sizes: { forward: 12, input: 8, dnat: 5, snat: 6, log: 6, memberShare: 0.6 },
    ports: [80, 443, 8085],
    authorization: 'hosts',
  },
  {
    title: 'card',
    policies: 12,
    packets: 60,
    sizes: { forward: 4, input: 3, dnat: 2, snat: 3, log: 3, memberShare: 0.5 },
    ports: [80, 53, 8085],
    dns: dnsStage,
    authorization: 'cards',
  },
  {
    title: 'long user',
    policies: 4,
    packets: 120,
    sizes: { forward: 300, input: 100, dnat: 60, snat: 60, log: 100, anyShare: 0.05, memberShare: 0.3 },
    authorization: 'hosts',
  },
  {
    title: 'long',
    policies: 8,
    packets: 120,
    sizes: { forward: 400, input: 100, dnat: 60, snat: 60, log: 100, anyShare: 0.05 },
  },
  {
    title: 'changed',
    policies: 3,
    packets: 120,
    sizes: { forward: 400, input: 150, dnat: 150, snat: 60, log: 150, anyShare: 0.05 },
    changes: 60,
  },
  {
    title: 'changed user',
    policies: 2,
    packets: 120,
    sizes: { forward: 300, input: 100, dnat: 100, snat: 60, log: 100, anyShare: 0.05, memberShare: 0.3 },
    changes: 60,
    authorization: 'hosts',
  },
]

/** A card has one address while it is in use, so rules for cards are asked with one. */
const oneAddress = {
  lan0: world.sources.lan0.slice(0, 1),
  lan1: world.sources.lan1.slice(0, 1),
}

/** A rule of one table is added, replaced, moved or deleted. Ids of new rules are not those of others. */
function changeRules(random: () => number, { rules }: Policy, others: Policy['rules'], id: number): Policy['rules'] {
  const below = (limit: number): number => Math.floor(random() * limit)
  const table = pick(random, ruleTables)
  const [list, more] = [rules[table], others[table]]
  const at = below(list.length)
  const [old, other] = [list[at], more[below(more.length)]]
  if (old === undefined || other === undefined) return rules
  const fresh = { ...other, id, origin: `firewall.${table}[${id}]` }
  const edits = [
    () => list.toSpliced(at, 0, fresh),
    () => list.with(at, { ...other, id: old.id, origin: old.origin }),
    () => list.toSpliced(at, 1).toSpliced(below(list.length), 0, old),
    () => list.toSpliced(at, 1),
  ]
  return { ...rules, [table]: pick(random, edits)() }
}

for (const { title, policies, packets, sizes, dns = () => null, changes = 0, ...kind } of kinds)
  test(`${title} policies: the kernel does with every packet what the evaluator says`, { skip: cannot }, () => {
    const routing = routingIn(world)
    for (let seed = 1; seed <= Math.ceil(policies * share); seed++) {
      const random = makeRandom(seed)
      const hasCards = kind.authorization === 'cards'
      const own = hasCards ? oneAddress : world.sources
      const sources = kind.authorization === undefined ? own : { ...own, lan1: [...own.lan1, displaced] }
      const drawn = { ...world, sources, ports: kind.ports ?? world.ports, external: kind.external ?? world.external }
      const stage = dns(seed)
      const closed = stage === null ? [] : closedPorts([dnsEngine])
      const users = kind.authorization === undefined ? null : drawStage(random, drawn, dnsStage(seed), cards, hasCards)
      const sessions = users === null ? {} : drawSessions(random, drawn)
      const known = users?.known ?? noHosts
      let policy: Policy = {
        ...drawPolicy(random, drawn, sizes),
        dns: stage,
        closedPorts: closed,
        authorization: users?.stage ?? null,
      }
      // Lists of one drawing share their names, so new rules come from it too.
      const others = policy.rules
      for (let step = 0; step < changes; step++) {
        compilePolicy(policy)
        policy = { ...policy, rules: changeRules(random, policy, others, 10_000 + step) }
      }
      load(policy, sessions, known)
      forget()
      const cases = drawPackets(random, drawn, packets).map((packet) => ({
        packet,
        prediction: predict(
          evaluate(policy, withSessions(packet, sessions, known, cards), routing, { reasons: false }),
          policy.rules.snat,
        ),
      }))
      inside(client, runtime, [plain, senderPath], JSON.stringify(cases.map(({ packet }) => packet)))
      // Packets may still be on their way.
      const deadline = performance.now() + patienceMs
      let found: string[]
      do found = listDifferences(cases, look(), addressOf)
      while (found.length > 0 && performance.now() < deadline)
      assert.deepEqual(found.slice(0, 20), [], `${found.length} differences with seed ${seed}`)
    }
  })

/** One packet of each source, one after the other; which of them arrived behind the gateway. */
function arrived(sources: readonly string[]): boolean[] {
  return sources.map((source) => {
    const incoming_interface = source === displaced ? 'lan1' : 'lan0'
    const port = nextPort++
    const sent = { source, destination: '192.0.2.10', protocol: 'udp', source_port: port, destination_port: 9 }
    forget()
    inside(client, runtime, [plain, senderPath], JSON.stringify([{ ...sent, incoming_interface, time: 0 }]))
    const countOf = (origin: string) => look().counts.get(origin) ?? 0
    const deadline = performance.now() + patienceMs
    // Refused or not, the packet leaves a trace.
    const before = refusals
    let isThere = false
    do isThere = look().arrivals.has(packetKey('udp', port))
    while (!isThere && countOf(authorizationOrigin) === before && performance.now() < deadline)
    refusals = countOf(authorizationOrigin)
    return isThere
  })
}

let refusals = 0

test('the kernel refuses a copied card and the address of another card, and makes first packets sessions', {
  skip: cannot,
}, () => {
  const [a, b, c, d] = world.sources.lan0.slice(0, 4) as [string, string, string, string]
  const number = (text: string): number => parseAddress(text) as number
  const stage: AuthorizationStage = {
    isEnforced: true,
    side: dnsStage(1),
    hosts: [number(d), number(d)],
    networks: [],
    pairs: [{ address: number(c), mac: '02:00:00:00:ff:ff' }],
    macs: [cards.lan0],
    idleSeconds: 900,
    portalPort: null,
    notesUnknown: true,
  }
  load({ ...emptyPolicy, externalDevices: ['wan0'], authorization: stage }, {}, noHosts)
  refusals = 0
  // The card has the first address; with the second it is a copy. The third belongs to another card, the fourth has a rule.
  assert.deepEqual(arrived([a, b, a, c, d]), [true, false, true, false, true])
  const list = (set: string) => inside(gateway, 'nft', ['list', 'set', 'inet', 'portcullis', set])
  for (const [set, pattern] of [
    ['auth_pairs', new RegExp(`${a} \\. ${cards.lan0} `)],
    ['auth_hosts', new RegExp(`${d} `)],
    ['auth_new', new RegExp(`${a} \\. ${cards.lan0} \\. "lan0".*${d} \\. ${cards.lan0} \\. "lan0"`, 's')],
    ['auth_unknown', new RegExp(`${b} \\. ${cards.lan0} \\. "lan0"`)],
  ] as const)
    assert.match(list(set), pattern)
  assert.doesNotMatch(list('auth_pairs'), new RegExp(`${b} `))
  // Without enforcement only the address of another card is refused, and unknown hosts are noted as well.
  load({ ...emptyPolicy, externalDevices: ['wan0'], authorization: { ...stage, isEnforced: false } }, {}, noHosts)
  refusals = 0
  assert.deepEqual(arrived([a, b, c]), [true, true, false])
  assert.match(list('auth_unknown'), new RegExp(`${b} \\. ${cards.lan0} \\. "lan0"`))
  assert.doesNotMatch(list('auth_unknown'), new RegExp(`${a} |${c} `))
})

test('the kernel lets a copy of a pair of address and card pass in no other segment than its own', {
  skip: cannot,
}, () => {
  const pair = { address: parseAddress(displaced) as number, mac: cards.lan1 }
  const none = { hosts: [], networks: [], pairs: [], macs: [] }
  const stage = { ...none, isEnforced: true, side: dnsStage(1), idleSeconds: 900, portalPort: null, notesUnknown: true }
  const list = (set: string) => inside(gateway, 'nft', ['list', 'set', 'inet', 'portcullis', set])
  const loadWith = (fields: Partial<AuthorizationStage>, known = noHosts): void => {
    load({ ...emptyPolicy, externalDevices: ['wan0'], authorization: { ...stage, ...fields } }, {}, known)
    refusals = 0
  }
  for (const isEnforced of [true, false]) {
    loadWith({ pairs: [pair], isEnforced })
    assert.deepEqual(arrived([displaced]), [false], 'by a rule for both')
    assert.doesNotMatch(list('auth_pairs') + list('auth_new'), new RegExp(displaced))
  }
  loadWith({}, { ...noHosts, pairs: [[displaced, cards.lan1]] })
  assert.deepEqual(arrived([displaced]), [false], 'by a session of both')
  assert.doesNotMatch(list('auth_cards'), new RegExp(cards.lan1), 'the session is not its own')
  loadWith({ macs: [cards.lan1] })
  assert.deepEqual(arrived([displaced]), [false], 'by a rule for the card')
})
