// Inspection in the kernel: random policies are loaded in a network of namespaces, and the connection of every packet must have
// the channel that the evaluator says, its packets the number in their DSCP field where the queue is, and outside the field that
// they came with. A chain of the test is in the place of the queue. Needs root.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { type SentPacket, senderPath } from '../../../test/support/packet-probe.ts'
import { ruleIn } from '../../../test/support/policy-samples.ts'
import {
  drawPacket,
  drawPolicy,
  makeRandom,
  pick,
  type Random,
  routingIn,
  sampleWorld,
  type World,
} from '../../../test/support/random-policy.ts'
import { unlessComplete } from '../../../test/support/requires.ts'
import { ourRuntime } from '../../../test/support/started.ts'
import { until } from '../../../test/support/until.ts'
import { channelOfMark, inspection } from '../../core/plan/inspection-marks.ts'
import { printTable } from '../../core/plan/nft-piece.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { compilePolicy } from './compile.ts'
import { evaluate } from './evaluate.ts'
import type { Trace } from './evaluate-trace.ts'
import { type AddressMatch, emptyPolicy, type InspectionStage, type Policy, type PolicyRule } from './model.ts'

const [runtime, plain] = ourRuntime
const tag = `pi${process.pid}`
const [client, gateway, outside] = [`${tag}-client`, `${tag}-gateway`, `${tag}-outside`]
const world: World = {
  ...sampleWorld,
  now: Math.floor(Date.now() / 1000),
  sources: { lan0: sampleWorld.sources.lan0 },
  destinations: [...sampleWorld.destinations.filter((it) => it.startsWith('192.0.2.')), '10.66.0.1', '198.51.100.1'],
  targets: ['192.0.2.12', '192.0.2.13', '10.66.0.1'],
  own: ['10.66.0.1', '198.51.100.1'],
  routes: sampleWorld.routes.filter(({ device }) => device === 'lan0' || device === 'wan0'),
  protocols: ['tcp', 'udp'],
}

function run(program: string, args: readonly string[], input = ''): { text: string; error: string | null } {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', timeout: 60_000 })
  return { text: stdout ?? '', error: status === 0 ? null : `${program}: ${stderr}` }
}

const missing = [
  ['nft', '--version'],
  ['unshare', '--net', 'true'],
].find(([program = '', ...args]) => run(program, args).error !== null)
const refused = missing === undefined ? false : unlessComplete(`cannot run ${missing.join(' ')}`)
const cannot = process.getuid?.() === 0 ? refused : 'needs root'

function inside(namespace: string, program: string, args: readonly string[], input = ''): string {
  const { text, error } = run('ip', ['netns', 'exec', namespace, program, ...args], input)
  assert.equal(error, null)
  return text
}
const ip = (namespace: string, lines: readonly string[]) =>
  inside(namespace, 'ip', ['-batch', '-'], `${lines.join('\n')}\n`)
const nft = (namespace: string, text: string) => inside(namespace, 'nft', ['-f', '-'], text)

/** What clients write into the field of packets to a port: the last six bits of its number. */
const fieldOf = Array.from({ length: 64 }, (_, value) => value)
const portOf = (value: number): number => 1024 + value
const set = (name: string, type: string): string => `set ${name} { typeof ${type}; flags dynamic; size 65535; }\n`

before(() => {
  if (cannot !== false) return
  for (const name of [client, gateway, outside]) assert.equal(run('ip', ['netns', 'add', name]).error, null)
  ip(client, [`link add c0 type veth peer name lan0 netns ${gateway}`])
  ip(outside, [`link add n0 type veth peer name wan0 netns ${gateway}`])
  for (const setting of ['ipv4/ip_forward=1', 'ipv4/conf/all/rp_filter=0', 'ipv6/conf/all/forwarding=1'])
    inside(gateway, 'sysctl', ['-q', '-w', `net/${setting}`])
  const up = (...devices: string[]) => ['lo', ...devices].map((device) => `link set ${device} up`)
  ip(client, [
    ...(world.sources.lan0 ?? []).map((it) => `address add ${it}/24 dev c0`),
    'address add fd66::2/64 dev c0 nodad',
    ...up('c0'),
    'route add default via 10.66.0.1',
    'route add default via fd66::1',
  ])
  ip(gateway, [
    'address add 10.66.0.1/24 dev lan0',
    'address add fd66::1/64 dev lan0 nodad',
    'address add 198.51.100.1/24 dev wan0',
    'address add fd67::1/64 dev wan0 nodad',
    ...up('lan0', 'wan0'),
    'route add default via 198.51.100.2',
  ])
  ip(outside, [
    'address add 198.51.100.2/24 dev n0',
    'address add fd67::2/64 dev n0 nodad',
    ...up('n0'),
    'route add local 192.0.2.0/24 dev lo',
    'route add default via 198.51.100.1',
    'route add default via fd67::1',
  ])
  nft(
    client,
    `table inet probe { chain out { type filter hook output priority 0;
      ip dscp set 46
      ${fieldOf.map((value) => `meta nfproto ipv4 udp dport ${portOf(value)} ip dscp set ${value}`).join('\n')}
      ${fieldOf.map((value) => `meta nfproto ipv6 udp dport ${portOf(value)} ip6 dscp set ${value}`).join('\n')}
    }
}
`,
  )
  nft(
    outside,
    `table inet probe { ${set('arrived', 'udp dport . meta nfproto')} ${set('wrong', 'udp dport')} ${set('changed', 'meta l4proto . th sport')}
      chain in { type filter hook prerouting priority raw;
        ${fieldOf.map((value) => `meta nfproto ipv4 udp dport ${portOf(value)} ip dscp != ${value} add @wrong { udp dport }`).join('\n')}
        ${fieldOf.map((value) => `meta nfproto ipv6 udp dport ${portOf(value)} ip6 dscp != ${value} add @wrong { udp dport }`).join('\n')}
        udp dport 1024-1087 add @arrived { udp dport . meta nfproto } drop
        meta l4proto { tcp, udp } ip dscp != 46 add @changed { meta l4proto . th sport }
        meta l4proto { tcp, udp } drop
    }
}
`,
  )
  const channels = Array.from({ length: 9 }, (_, at) => at + 1)
  const numbered = channels.map(
    (number) => `ct mark & 0xff00 == 0x${number}00 ip dscp != ${number} add @changed { meta l4proto . th sport }`,
  )
  const queue = `meta l4proto != { tcp, udp } accept
      add @seen { meta l4proto . th sport . ct mark }
      ct mark & 0xff00 == 0x0 ip dscp != 46 add @changed { meta l4proto . th sport }
      ${numbered.join('\n')}`
  nft(
    gateway,
    `table inet probe { ${set('seen', 'meta l4proto . th sport . ct mark')} ${set('changed', 'meta l4proto . th sport')}
      chain queue_forward { type filter hook forward priority 150; udp dport 1024-1087 accept
        ${queue}
      }
      chain queue_input { type filter hook input priority 150; iifname lo accept
        ${queue}
      }
      chain end { type filter hook input priority 170; iifname lo accept
        meta l4proto { tcp, udp } ip dscp != 46 add @changed { meta l4proto . th sport }
        meta l4proto { tcp, udp } drop
      }
    }
`,
  )
})

after(() => {
  if (cannot === false) for (const name of [client, gateway, outside]) run('ip', ['netns', 'delete', name])
})

function load(policy: Policy): void {
  const old = ['inet portcullis', 'netdev portcullis_hw'].map((name) => `table ${name} {}\ndelete table ${name}\n`)
  nft(gateway, [...old, ...compilePolicy(policy).map(({ name, pieces }) => printTable(name, pieces))].join(''))
}

interface Listing {
  readonly nftables: readonly { readonly set?: { readonly elem?: readonly unknown[] } }[]
}

function elementsOf(namespace: string, name: string): (readonly unknown[])[] {
  const { nftables } = JSON.parse(inside(namespace, 'nft', ['-j', 'list', 'set', 'inet', 'probe', name])) as Listing
  return nftables
    .flatMap(({ set: found }) => found?.elem ?? [])
    .map((one) => (typeof one === 'object' && one !== null && 'elem' in one ? (one.elem as { val: unknown }).val : one))
    .map((one) =>
      typeof one === 'object' && one !== null && 'concat' in one ? (one.concat as readonly unknown[]) : [one],
    )
}

const channelNumbers = Array.from({ length: 9 }, (_, at) => at + 1)
const channels = channelNumbers.map((number) => ({ number, isFailOpen: true, isReady: true }))
const list = (key: string, ...addresses: readonly string[]): AddressMatch => ({
  key,
  ranges: addresses.toSorted().flatMap((it) => [parseAddress(it) as number, parseAddress(it) as number]),
  isNegated: false,
})

function drawStage(random: Random): InspectionStage {
  const hosts = [...(world.sources.lan0 ?? []), ...world.destinations]
  const some = (key: string): AddressMatch => list(key, ...new Set([pick(random, hosts), pick(random, hosts)]))
  const exceptions = [0, 1].filter(() => random() < 0.5)
  const older = [0, 1, 2].filter(() => random() < 0.4)
  return {
    channels,
    exceptions: exceptions.map((at) => ({ origin: `firewall.bypass[${at}]`, hosts: some(`e${at}`) })),
    older: older.map((at) => ({
      origin: `application_control.rules[${at}]`,
      hosts: random() < 0.2 ? null : some(`o${at}`),
      channels: { ...(random() < 0.8 ? { 0: 6 + at } : {}), 1: 7, 2: 8 },
    })),
  }
}

const inspecting = (random: Random, rule: PolicyRule): PolicyRule =>
  rule.action.kind === 'accept' && random() < 0.6 ? { ...rule, inspection: 1 + Math.floor(random() * 4) } : rule

/** Of each way that the packet may take; null where it is refused. */
const channelsIn = ({ outcomes, droppedBy }: Trace): readonly (number | null)[] =>
  droppedBy !== null
    ? [null]
    : outcomes.map(({ inspection: found, verdict }) =>
        verdict !== 'accept' ? null : found?.kind === 'inspected' ? found.channel : 0,
      )

/** Connections that the kernel already knows would not be asked again, so no port comes twice. */
let nextPort = 20_000

test('the kernel puts every connection into the channel that the evaluator says', { skip: cannot }, async () => {
  const routing = routingIn(world)
  const met = new Map<string, number>()
  for (let seed = 1; seed <= 25; seed++) {
    const random = makeRandom(seed)
    const drawn = drawPolicy(random, world, { forward: 8, input: 8, dnat: 4, snat: 3, log: 3 })
    const { forward, input } = drawn.rules
    const rules = {
      ...drawn.rules,
      forward: forward.map((rule) => inspecting(random, rule)),
      input: input.map((rule) => inspecting(random, rule)),
    }
    const policy: Policy = { ...drawn, rules, inspection: drawStage(random), hardware: null, isBlocked: false }
    load(policy)
    const cases = Array.from({ length: 60 }, () => {
      const packet = { ...drawPacket(random, world), source_port: nextPort++ } as SentPacket
      const trace = evaluate(policy, packet, routing, { reasons: false })
      for (const { inspection: found } of trace.outcomes)
        met.set(found?.kind ?? '', (met.get(found?.kind ?? '') ?? 0) + 1)
      return { packet, expected: channelsIn(trace) }
    })
    inside(client, runtime, [plain, senderPath], JSON.stringify(cases.map(({ packet }) => packet)))
    const look = (): string[] => {
      const seen = new Map(
        elementsOf(gateway, 'seen').map(([protocol, port, mark]) => [
          `${protocol} ${port}`,
          channelOfMark(Number(mark)),
        ]),
      )
      return cases.flatMap(({ packet, expected }) => {
        const found = seen.get(`${packet.protocol} ${packet.source_port}`) ?? null
        return expected.includes(found) ? [] : [`${JSON.stringify(packet)}: ${found}, not ${expected.join(' or ')}`]
      })
    }
    let differences: string[] = []
    const isAsSaid = (): boolean => {
      differences = look()
      return differences.length === 0
    }
    // Packets may still be on their way. What differs to the end says more than that it took too long.
    await until('the kernel agrees with the evaluator', isAsSaid).catch(() => undefined)
    assert.deepEqual(differences, [], `with seed ${seed}`)
  }
  for (const name of [gateway, outside])
    assert.deepEqual(elementsOf(name, 'changed'), [], 'fields that are not as they should be')
  for (const kind of ['inspected', 'excepted', 'none']) assert.ok((met.get(kind) ?? 0) > 20, `${kind} was met`)
})

const accepting: Policy = {
  ...emptyPolicy,
  rules: { ...emptyPolicy.rules, forward: [{ ...ruleIn('forward', 1, { kind: 'accept' }), inspection: 5 }] },
  inspection: { channels, exceptions: [], older: [] },
}

const sendCode = `const d=require('node:dgram');const list=JSON.parse(process.argv[1]);
(async()=>{for(const [kind,to,port,times] of list){const s=d.createSocket(kind);for(let i=0;i<times;i++)await new Promise(r=>s.send('x',port,to,r));s.close()}})()`
const send = (namespace: string, ...datagrams: (readonly [string, string, number, number])[]) =>
  inside(namespace, process.execPath, ['-e', sendCode, JSON.stringify(datagrams)])

test('every value of the field is restored, for IPv4 and for IPv6', { skip: cannot }, async () => {
  load(accepting)
  send(
    client,
    ...fieldOf.map((value) => ['udp4', '192.0.2.10', portOf(value), 1] as const),
    ...fieldOf.map((value) => ['udp6', 'fd67::2', portOf(value), 1] as const),
  )
  await until('all datagrams arrive', () => elementsOf(outside, 'arrived').length === 128)
  assert.deepEqual(elementsOf(outside, 'wrong'), [])
})

const taggedTable = (more: string): string => `table inet taken {}
delete table inet taken
table inet taken {
  ${set('marks', 'ct mark')}
  chain at_queue { type filter hook forward priority 150; udp dport 1024-1087 meta mark & 0x80000000 == 0x80000000 counter ${more}
  }
  chain behind { type filter hook forward priority 170; udp dport 1024-1087 add @marks { ct mark }
  }
}
`
const countTagged = (): number =>
  Number(/packets (\d+)/.exec(inside(gateway, 'nft', ['list', 'table', 'inet', 'taken']))?.[1])

test('a connection that the engine is done with goes on without it', { skip: cannot }, async () => {
  load(accepting)
  nft(gateway, taggedTable(`meta mark set meta mark | 0x${inspection.doneMark.toString(16)}`))
  send(client, ['udp4', '192.0.2.10', portOf(7), 3])
  const marks = () => inside(gateway, 'nft', ['list', 'set', 'inet', 'taken', 'marks'])
  await until('the connection is marked as done', () => /0x00010500/.test(marks()))
  assert.equal(countTagged(), 1, 'only its first packet is taken')
  assert.deepEqual(elementsOf(outside, 'wrong'), [], 'its field is restored all the same')
  nft(gateway, 'delete table inet taken\n')
})

test('a test datagram to itself is in its channel, and what passes a rule without inspection in none', {
  skip: cannot,
}, async () => {
  load({ ...accepting, rules: { ...emptyPolicy.rules, forward: [ruleIn('forward', 1, { kind: 'accept' })] } })
  nft(
    gateway,
    `table inet own {
      ${set('marks', 'udp dport . ct mark')}
      chain out { type filter hook output priority 150; oifname lo udp dport 7000-7200 add @marks { udp dport . ct mark }
      }
    }\n`,
  )
  const port = (number: number): number => inspection.firstCanaryPort + number
  send(gateway, ...[1, 9, 10].map((number) => ['udp4', '127.0.0.1', port(number), 1] as const))
  const text = () => inside(gateway, 'nft', ['list', 'set', 'inet', 'own', 'marks'])
  await until('all were sent', () => (text().match(/7\d\d\d \./g) ?? []).length === 3)
  assert.match(text(), /7101 \. 0x00000100/)
  assert.match(text(), /7109 \. 0x00000900/)
  assert.match(text(), /7110 \. 0x00000000/, 'there is no channel of that number')
  nft(gateway, taggedTable(''))
  send(client, ['udp4', '192.0.2.10', portOf(1), 1])
  await until('the datagram passed', () => /0x/.test(inside(gateway, 'nft', ['list', 'set', 'inet', 'taken', 'marks'])))
  assert.equal(countTagged(), 0)
  nft(gateway, 'delete table inet taken\ndelete table inet own\n')
})
