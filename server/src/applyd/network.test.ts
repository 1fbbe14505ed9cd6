// Links in a network namespace of the test's own, changed by the real programs and read back by hand.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { LinkPlan } from '../core/plan/artifacts.ts'
import { planLink } from '../core/plan/link.ts'
import { NetworkEngine } from './network.ts'
import { type KernelLink, type KernelState, type Operation, operationsFor } from './network-operations.ts'

const namespace = `h3-network-${process.pid}`
const commands = { ip: ['/usr/sbin/ip', '-n', namespace], tc: ['/usr/sbin/tc', '-n', namespace] }
const ip = (...args: string[]): string => execFileSync('/usr/sbin/ip', ['-n', namespace, ...args], { encoding: 'utf8' })

const link = (device: string, more: Partial<LinkPlan> = {}): LinkPlan =>
  planLink(`network.connections[${device}]`, device, more)

const toInternet = (via: string, metric = 100) => ({ to: 'default', via, metric })

const addressesOf = (device: string): string[] =>
  (JSON.parse(ip('-j', '-4', 'addr', 'show', 'dev', device)) as KernelLink[]).flatMap((one) =>
    (one.addr_info ?? []).map(({ local, prefixlen }) => `${local}/${prefixlen}`),
  )
const routes = (): string[] =>
  ip('-4', 'route', 'show')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.includes('scope link'))
const isUp = (device: string): boolean =>
  (JSON.parse(ip('-j', 'link', 'show', 'dev', device)) as KernelLink[])[0]?.flags.includes('UP') ?? false

describe('links of the kernel', () => {
  let directory: string
  let time = 0
  const logged: string[] = []
  const engineFor = (kernel = 'this kernel') =>
    new NetworkEngine(
      { plane: 'lab', directory, kernel, log: (_level, message) => logged.push(message) },
      commands,
      () => time,
    )

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'portcullis-network-'))
    execFileSync('/usr/sbin/ip', ['netns', 'add', namespace])
  })
  after(() => {
    execFileSync('/usr/sbin/ip', ['netns', 'del', namespace])
    rmSync(directory, { recursive: true })
  })
  beforeEach(() => {
    for (const name of ['lan0', 'wan0']) {
      try {
        ip('link', 'del', name)
      } catch {
        // The first test finds none.
      }
      ip('link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}p`)
      ip('link', 'set', `${name}p`, 'up')
    }
    rmSync(join(directory, 'network.json'), { force: true })
    logged.length = 0
  })

  it('come up with addresses and default route, and stay untouched when applied again', async () => {
    const engine = engineFor()
    const plan = [
      link('lan0', { addresses: ['10.1.0.1/24', '10.2.0.1/16'] }),
      link('wan0', { addresses: ['192.0.2.2/24'], routes: [toInternet('192.0.2.1')] }),
    ]
    assert.equal(await engine.isCurrent(plan), false)
    await engine.apply(plan)
    assert.deepEqual(addressesOf('lan0'), ['10.1.0.1/24', '10.2.0.1/16'])
    assert.deepEqual(addressesOf('wan0'), ['192.0.2.2/24'])
    assert.deepEqual(routes(), ['default via 192.0.2.1 dev wan0 proto 77 metric 100'])
    assert.ok(isUp('lan0'))
    assert.equal(await engine.isCurrent(plan), true)
    assert.deepEqual(
      engine.observe().map(({ errors }) => errors),
      [[], []],
    )
    // The kernel itself settles IPv6 addresses a moment later.
    const watched = ip('-4', 'addr', 'show')
    await engine.apply(plan)
    assert.equal(ip('-4', 'addr', 'show'), watched)
  })

  it('change their address within one network without losing the new one', async () => {
    const engine = engineFor()
    await engine.apply([link('lan0', { addresses: ['10.1.0.1/24', '10.1.0.3/24'], routes: [toInternet('10.1.0.9')] })])
    const plan = [link('lan0', { addresses: ['10.1.0.2/24'], routes: [toInternet('10.1.0.9')] })]
    await engine.apply(plan)
    assert.deepEqual(addressesOf('lan0'), ['10.1.0.2/24'])
    assert.deepEqual(routes(), ['default via 10.1.0.9 dev lan0 proto 77 metric 100'])
    assert.equal(await engine.isCurrent(plan), true)
  })

  it('move an address from one device to another', async () => {
    const engine = engineFor()
    await engine.apply([link('lan0', { addresses: ['10.1.0.1/24'] }), link('wan0', { addresses: ['192.0.2.2/24'] })])
    await engine.apply([link('lan0', { addresses: ['192.0.2.2/24'] }), link('wan0', { addresses: ['10.1.0.1/24'] })])
    assert.deepEqual([addressesOf('lan0'), addressesOf('wan0')], [['192.0.2.2/24'], ['10.1.0.1/24']])
    assert.match(ip('-4', 'route', 'get', '10.1.0.7'), /dev wan0/)
  })

  it('take over a default route they find, and leave other routes and devices alone', async () => {
    ip('addr', 'add', '192.0.2.2/24', 'dev', 'wan0')
    ip('link', 'set', 'wan0', 'up')
    ip('route', 'add', 'default', 'via', '192.0.2.1')
    ip('route', 'add', '198.51.100.0/24', 'via', '192.0.2.1')
    ip('addr', 'add', '10.9.0.1/24', 'dev', 'lan0')
    await engineFor().apply([link('wan0', { addresses: ['192.0.2.2/24'], routes: [toInternet('192.0.2.254')] })])
    assert.deepEqual(routes(), [
      'default via 192.0.2.254 dev wan0 proto 77 metric 100',
      '198.51.100.0/24 via 192.0.2.1 dev wan0',
    ])
    assert.deepEqual(addressesOf('lan0'), ['10.9.0.1/24'])
  })

  it('keep link-local addresses', async () => {
    ip('addr', 'add', '169.254.7.7/16', 'dev', 'lan0')
    await engineFor().apply([link('lan0', { addresses: ['10.1.0.1/24'] })])
    assert.deepEqual(addressesOf('lan0').sort(), ['10.1.0.1/24', '169.254.7.7/16'])
  })

  it('go down and lose everything when switched off', async () => {
    const engine = engineFor()
    await engine.apply([link('wan0', { addresses: ['192.0.2.2/24'], routes: [toInternet('192.0.2.1')] })])
    await engine.apply([link('wan0', { isUp: false })])
    assert.deepEqual([addressesOf('wan0'), routes(), isUp('wan0')], [[], [], false])
  })

  it('are cleared when they leave the plan, also by an engine that was restarted', async () => {
    await engineFor().apply([
      link('lan0', { addresses: ['10.1.0.1/24'] }),
      link('wan0', { addresses: ['192.0.2.2/24'] }),
    ])
    const later = engineFor()
    const plan = [link('lan0', { addresses: ['10.1.0.1/24'] })]
    assert.equal(await later.isCurrent(plan), false)
    await later.apply(plan)
    assert.deepEqual([addressesOf('wan0'), isUp('wan0')], [[], false])
    // Once clean it is not managed: what another program sets there later stays.
    ip('addr', 'add', '192.0.2.7/24', 'dev', 'wan0')
    assert.equal(await later.isCurrent(plan), true)
  })

  it('are not managed when the record is of another kernel', async () => {
    await engineFor('before the restart').apply([link('wan0', { addresses: ['192.0.2.2/24'] })])
    await engineFor().apply([link('lan0', { addresses: ['10.1.0.1/24'] })])
    assert.deepEqual(addressesOf('wan0'), ['192.0.2.2/24'])
  })

  it('stay as they are without a plan for the network', async () => {
    const engine = engineFor()
    await engine.apply([link('lan0', { addresses: ['10.1.0.1/24'] })])
    await engine.apply(null)
    assert.equal(await engine.isCurrent(null), true)
    assert.deepEqual(addressesOf('lan0'), ['10.1.0.1/24'])
  })

  it('are restored after a change from outside', async () => {
    const engine = engineFor()
    const plan = [link('lan0', { addresses: ['10.1.0.1/24'], routes: [toInternet('10.1.0.9')] })]
    await engine.apply(plan)
    for (const meddling of [
      ['addr', 'del', '10.1.0.1/24', 'dev', 'lan0'],
      ['addr', 'add', '10.6.0.1/24', 'dev', 'lan0'],
      ['link', 'set', 'lan0', 'down'],
      ['route', 'del', 'default'],
    ]) {
      ip(...meddling)
      assert.equal(await engine.isCurrent(plan), false, meddling.join(' '))
      await engine.apply(plan)
      assert.equal(await engine.isCurrent(plan), true, meddling.join(' '))
    }
    assert.deepEqual(addressesOf('lan0'), ['10.1.0.1/24'])
  })

  it('report what the kernel refuses with its message, and do the rest', async () => {
    const engine = engineFor()
    const plan = [
      link('lan0', { addresses: ['10.1.0.1/24'], routes: [toInternet('203.0.113.9')] }),
      link('Eppp4', { make: { kind: 'ppp', parent: 'lan0' } }),
    ]
    await engine.apply(plan)
    const [lan, ppp] = engine.observe()
    assert.deepEqual(lan?.errors, ['Error: Nexthop has invalid gateway.'])
    assert.match(ppp?.errors[0] ?? '', /^\/dev\/ppp: |^No program/)
    assert.deepEqual(addressesOf('lan0'), ['10.1.0.1/24'])
    assert.deepEqual(logged, [])
  })

  it('retry what was refused only after a minute or with another plan', async () => {
    const engine = engineFor()
    const plan = [link('lan0', { addresses: ['10.1.0.1/24'], routes: [toInternet('10.7.0.9')] })]
    await engine.apply(plan)
    assert.equal(await engine.isCurrent(plan), true)
    // The route to the next hop appears from outside, without an event.
    ip('route', 'add', '10.7.0.0/24', 'dev', 'lan0')
    assert.equal(await engine.isCurrent(plan), true)
    time += 61_000
    assert.equal(await engine.isCurrent(plan), false)
    await engine.apply(plan)
    assert.deepEqual(engine.observe()[0]?.errors, [])
    assert.ok(routes().includes('default via 10.7.0.9 dev lan0 proto 77 metric 100'))
  })

  for (const [what, device, make] of [
    ['a VLAN', 'lan0.5', { kind: 'vlan', parent: 'lan0', tag: 5 }],
    ['an aggregated interface', 'ag000001', { kind: 'bond', members: ['wan0'] }],
    ['a tunnel', 'Gre00000001', { kind: 'gre', local: '10.1.0.1', remote: '192.0.2.9' }],
    ['a loopback interface', 'Oloopback3', { kind: 'dummy' }],
  ] as const) {
    it(`with ${what} are made, or the kernel's message is kept`, async () => {
      const engine = engineFor()
      const plan = [
        link('lan0', { addresses: ['10.1.0.1/24'] }),
        link(device, { make, addresses: ['10.50.0.1/24'], routes: [toInternet('10.50.0.9')] }),
      ]
      await engine.apply(plan)
      assert.equal(await engine.isCurrent(plan), true)
      const [words] = engine.observe()[1]?.errors ?? []
      if (words === undefined) assert.deepEqual(addressesOf(device), ['10.50.0.1/24'])
      else assert.match(words, /Unknown device type|not supported/)
      await engine.apply([link('lan0', { addresses: ['10.1.0.1/24'] })])
      assert.throws(() => ip('link', 'show', 'dev', device))
      assert.deepEqual(logged, [])
    })
  }

  it('leave a device alone that another program made under the name of one of ours', async () => {
    ip('link', 'add', 'lan0.5', 'type', 'veth', 'peer', 'name', 'foreign')
    const engine = engineFor()
    await engine.apply([link('lan0'), link('lan0.5', { make: { kind: 'vlan', parent: 'lan0', tag: 5 } })])
    assert.equal(engine.observe()[1]?.errors.length, 1)
    await engine.apply([link('lan0')])
    assert.match(ip('link', 'show', 'dev', 'lan0.5'), /lan0\.5/)
    ip('link', 'del', 'lan0.5')
  })

  it('with a mirror copy packets, or the message of the kernel is kept', async () => {
    const engine = engineFor()
    const plan = [
      link('lan0', { addresses: ['10.1.0.1/24'] }),
      link('wan0', { mirrors: [{ device: 'lan0', direction: 'both' }] }),
    ]
    await engine.apply(plan)
    assert.equal(await engine.isCurrent(plan), true)
    const errors = engine.observe()[1]?.errors ?? []
    if (errors.length > 0) assert.match(errors[0] ?? '', /TC classifier|not supported|Unknown/)
  })

  it('refuse two plans for one device', () => {
    const { vet } = engineFor()
    assert.deepEqual(vet([link('lan0'), link('wan0')]), [])
    assert.deepEqual(vet([link('lan0'), link('lan0')]), ['The device lan0 appears more than once in the plan.'])
    assert.deepEqual(vet([link('lo')]), ['The plan must not contain the loopback device.'])
  })
})

describe('the operations from one set of links to another', () => {
  const found = (ifname: string, more: Partial<KernelLink> = {}): KernelLink => ({
    ifname,
    flags: ['UP'],
    addr_info: [],
    ...more,
  })
  const state = (links: KernelLink[], more: Partial<KernelState> = {}): KernelState => ({
    links,
    routes: [],
    mirrors: [],
    mirrorable: [],
    advertised: [],
    ...more,
  })
  const nothing = { devices: [], made: [], mirrored: [] }
  const words = (operations: readonly Operation[]) =>
    operations.map(({ program, args }) => [program, ...args].join(' '))
  const vlan = (tag: number) =>
    link('lan0.5', { make: { kind: 'vlan', parent: 'lan0', tag }, addresses: ['10.5.0.1/24'] })
  const madeVlan = found('lan0.5', { link: 'lan0', linkinfo: { info_kind: 'vlan', info_data: { id: 5 } } })

  it('makes a device before it configures it', () => {
    assert.deepEqual(words(operationsFor(state([found('lan0')]), [vlan(5)], nothing)), [
      'ip link add link lan0 name lan0.5 type vlan id 5',
    ])
    assert.deepEqual(words(operationsFor(state([found('lan0'), madeVlan]), [vlan(5)], nothing)), [
      'ip -4 addr add 10.5.0.1/24 brd + dev lan0.5',
    ])
  })

  it('makes a device of ours again when it is based on another one, and never touches a foreign one of its name', () => {
    const now = state([found('lan0'), madeVlan])
    const ours = { ...nothing, devices: ['lan0.5'], made: ['lan0.5'] }
    assert.deepEqual(words(operationsFor(now, [vlan(6)], ours)), ['ip link del dev lan0.5'])
    assert.deepEqual(words(operationsFor(now, [vlan(6)], nothing)), [
      'ip link add link lan0 name lan0.5 type vlan id 6',
    ])
  })

  it('takes cards into an aggregated interface and lets them go', () => {
    const bond = link('ag1', { make: { kind: 'bond', members: ['eth0', 'eth1'] } })
    const made = found('ag1', { linkinfo: { info_kind: 'bond' } })
    const now = state([found('eth0', { flags: [] }), found('eth1'), found('eth2', { master: 'ag1' }), made])
    assert.deepEqual(words(operationsFor(now, [bond], { ...nothing, devices: ['eth0'] })), [
      'ip link set dev eth2 nomaster',
      'ip link set dev eth1 down',
      'ip link set dev eth0 master ag1',
      'ip link set dev eth1 master ag1',
    ])
  })

  it('gives an aggregated interface the card address of a member, and changes it only when no member has it', () => {
    const bond = link('ag1', { make: { kind: 'bond', members: ['eth0', 'eth1'] } })
    const card = (name: string, address: string, more: Partial<KernelLink> = {}) => found(name, { address, ...more })
    const [first, second] = [card('eth0', '02:00:00:00:00:01'), card('eth1', '02:00:00:00:00:02')]
    assert.deepEqual(words(operationsFor(state([first, second]), [bond], nothing)), [
      'ip link add name ag1 address 02:00:00:00:00:01 type bond mode 802.3ad lacp_rate slow miimon 100',
    ])
    // As the kernel shows a member: with the address of the bond, and its own beside it.
    const joined = (address: string) => [
      card('eth0', address, { permaddr: '02:00:00:00:00:01', master: 'ag1' }),
      card('eth1', address, {
        linkinfo: { info_slave_data: { perm_hwaddr: '02:00:00:00:00:02' } },
        master: 'ag1',
      }),
      card('ag1', address, { linkinfo: { info_kind: 'bond' } }),
    ]
    const operations = (address: string) => words(operationsFor(state(joined(address)), [bond], nothing))
    assert.deepEqual(operations('02:00:00:00:00:02'), [])
    assert.deepEqual(operations('5a:11:22:33:44:55'), ['ip link set dev ag1 address 02:00:00:00:00:01'])
  })

  it('has devices that it makes take no address from a router advertisement, before they are up', () => {
    const now = state([found('lan0'), { ...madeVlan, flags: [] }], { advertised: ['lan0.5', 'lan0'] })
    assert.deepEqual(words(operationsFor(now, [link('lan0'), vlan(5)], nothing)), [
      'setting ipv6/conf/lan0.5/accept_ra 0',
      'ip link set dev lan0.5 up',
      'ip -4 addr add 10.5.0.1/24 brd + dev lan0.5',
    ])
  })

  it('leaves a card up that went from a connection into an aggregated interface', () => {
    const bond = link('ag1', { make: { kind: 'bond', members: ['eth0'] } })
    const now = state([
      found('eth0', { master: 'ag1', addr_info: [{ family: 'inet', local: '10.0.0.1', prefixlen: 24 }] }),
      found('ag1', { linkinfo: { info_kind: 'bond' } }),
    ])
    assert.deepEqual(words(operationsFor(now, [bond], { ...nothing, devices: ['eth0'] })), [
      'ip -4 addr del 10.0.0.1/24 dev eth0',
    ])
  })

  it('attaches mirrors where possible and removes those that are not wanted', () => {
    const plan = [link('lan0'), link('wan0', { mirrors: [{ device: 'lan0', direction: 'rx' }] })]
    const cards = [found('lan0'), found('wan0')]
    assert.deepEqual(words(operationsFor(state(cards), plan, nothing)), ['tc qdisc add dev lan0 clsact'])
    assert.deepEqual(words(operationsFor(state(cards, { mirrorable: ['lan0'] }), plan, nothing)), [
      'tc filter add dev lan0 ingress pref 18600 matchall action mirred egress mirror dev wan0',
    ])
    const old = { device: 'lan0', side: 'egress', preference: 18_600, to: 'wan0' } as const
    const right = { ...old, side: 'ingress' } as const
    assert.deepEqual(
      words(operationsFor(state(cards, { mirrorable: ['lan0'], mirrors: [old, right] }), plan, nothing)),
      ['tc filter del dev lan0 egress pref 18600'],
    )
  })
})
