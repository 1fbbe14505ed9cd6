// The package on booted machines of both Debian releases, from its installation to its removal: what an administrator does in
// the life of a gateway, and what packets do in the meantime. reboots.e2e.ts does the same many times at night.
// Requirements 50 and 66.

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { MachineCard } from '../../src/areas/network/contract-cards.ts'
import { until } from '../support/until.ts'
import type { MachineApi } from './api.ts'
import * as gateway from './gateway.ts'
import { countArrivals, seenAddress, startFlood, startPings } from './internet.ts'
import { inside, internet, type Machine, outside } from './machine.ts'
import { describeOnReleases } from './on-releases.ts'
import { rootWith } from './roots.ts'
import { differences, type Snapshot, takeSnapshot } from './snapshot.ts'

const { units } = gateway
const ownAddress = outside.address.split('/')[0]

// Both at the same time: most of it is waiting for a machine.
await describeOnReleases('the package', { isNightly: false, atOnce: 2 }, (suite, built) => {
  let machine: Machine
  let api: MachineApi
  let untouched: Snapshot
  before(async () => {
    machine = await gateway.bootRouter(await rootWith(suite, built().dependencies))
  })
  after(async () => {
    api?.[Symbol.dispose]()
    await machine?.[Symbol.asyncDispose]()
  })

  it('finds a router that forwards everything', async () => {
    // Otherwise a count of zero below would prove nothing.
    const arrived = await countArrivals(machine)
    await using flood = await startFlood(machine)
    await until('packets reach the client', async () => (await arrived()) > 0)
    assert.ok((await flood.stop()) > 0)
    untouched = await takeSnapshot(machine)
  })

  it('is installed, and runs', async (test) => {
    const begun = performance.now()
    await gateway.install(machine, built().first)
    test.diagnostic(`installed in ${Math.round(performance.now() - begun)} ms`)
    await gateway.untilServing(machine)
    await gateway.assertActive(machine)
  })

  it('is set up with gw setup', async () => {
    await gateway.setUp(machine)
    api = await gateway.openApi(machine)
  })

  it('names its cards, and what uses them', async () => {
    const { cards, reason } = await api.must('GET', '/network/cards')
    assert.equal(reason, '')
    assert.deepEqual(
      cards.map(({ name, mac, has_carrier, connection }: MachineCard) => [name, mac, has_carrier, connection !== null]),
      [inside, outside].map(({ card, mac }) => [card, mac, true, true]),
    )
  })

  it('lets the client out behind its own address, and nothing in', async () => {
    await until('the client gets out', async () => (await seenAddress(machine)) === ownAddress)
    const arrived = await countArrivals(machine)
    await using flood = await startFlood(machine)
    await seenAddress(machine)
    assert.ok((await flood.stop()) > 0)
    assert.equal(await arrived(), 0)
  })

  it('answers names', async () => {
    const zone = { name: 'example.test', enabled: true, servers: [internet.dns], comment: '' }
    await api.must('POST', '/dns/zones/forward', zone)
    await until('a name is answered', async () => (await gateway.resolve(machine, 'www.example.test')) === internet.web)
  })

  it('drops what a rule drops', async () => {
    const alias = await api.must('POST', '/aliases/ip_addresses', {
      title: 'web',
      value: internet.web,
      comment: '',
    })
    const rule = await api.must('POST', '/firewall/rules/forward', {
      action: 'drop',
      destination_addresses: [alias.id],
    })
    assert.equal(await seenAddress(machine, 2), null)
    await api.must('DELETE', `/firewall/rules/forward/${rule.id}`)
    assert.equal(await seenAddress(machine), ownAddress)
  })

  it('has nothing to complain about', async () => {
    assert.deepEqual(await gateway.complaints(machine), [])
  })

  it('lets no packet from outside pass while it boots', async (test) => {
    const arrived = await countArrivals(machine)
    await using flood = await startFlood(machine)
    await machine.reboot()
    await gateway.untilServing(machine)
    await until('the client gets out', async () => (await seenAddress(machine)) === ownAddress)
    assert.ok((await flood.stop()) > 0)
    assert.equal(await arrived(), 0)
    await gateway.assertActive(machine)
    assert.deepEqual(await gateway.complaints(machine), [])
    const { rules, ready } = await gateway.bootTimes(machine)
    test.diagnostic(`closed ${rules} ms and ready ${ready} ms after the start of the machine`)
  })

  it('comes back when its processes are killed, and its engines go on', async () => {
    const engines = await gateway.pidsOf(machine, 'unbound')
    assert.notDeepEqual(engines, [])
    for (const unit of [units.applyd, units.gatewayd]) {
      const before = await gateway.property(machine, unit, 'MainPID')
      await machine.must(['systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit])
      const isBack = async (): Promise<boolean> =>
        (await gateway.stateOf(machine, unit)) === 'active' &&
        (await gateway.property(machine, unit, 'MainPID')) !== before
      await until(`${unit} is back`, isBack)
    }
    await gateway.untilServing(machine)
    assert.deepEqual(await gateway.pidsOf(machine, 'unbound'), engines)
    assert.equal(await seenAddress(machine), ownAddress)
  })

  it('is not led elsewhere by what gatewayd can put into its folder', async () => {
    const state = '/var/lib/portcullis'
    const asGateway = (command: string) => machine.run(['runuser', '-u', 'portcullis', '--', 'sh', '-c', command])
    // Its own folders it can fill as it likes, but not replace.
    for (const name of ['gateway', 'backups', 'upgrade'])
      assert.notEqual((await asGateway(`mv ${state}/${name} ${state}/x || rmdir ${state}/${name}`)).code, 0, name)
    const linked = await asGateway(`cd ${state} && ln -s /etc gateway/backups && ln -s /etc backups/link`)
    assert.equal(linked.code, 0, linked.stderr)
    await machine.must(['systemctl', 'restart', units.applyd])
    await gateway.untilServing(machine)
    const pid = await gateway.property(machine, units.applyd, 'MainPID')
    const mounts = await machine.must(['cat', `/proc/${pid}/mountinfo`])
    const points = mounts.split('\n').map((line) => line.split(' ')[4] ?? '')
    assert.deepEqual(
      points.filter((point) => /portcullis\/(?:gateway|backups)/.test(point)),
      [`${state}/gateway`],
    )
    await machine.must(['rm', `${state}/gateway/backups`, `${state}/backups/link`])
  })

  it('is upgraded without the loss of a packet', async () => {
    const engines = await gateway.pidsOf(machine, 'unbound')
    const pings = await startPings(machine)
    await gateway.install(machine, built().next)
    await gateway.untilServing(machine)
    await until('many were sent, however quick it was', () => pings.answers() >= 200)
    const { sent, answered } = await pings.stop()
    assert.equal(answered, sent)
    assert.deepEqual(await gateway.pidsOf(machine, 'unbound'), engines)
    const shown = await machine.must(['dpkg-query', '--show', 'portcullis'])
    assert.equal(shown.trim(), `portcullis\t${built().nextVersion}`)
    await gateway.assertActive(machine)
  })

  it('refuses what an older version cannot read', async () => {
    const format = Number(machine.read('/var/lib/portcullis/applyd/format'))
    assert.ok(format > 0)
    machine.write('/var/lib/portcullis/applyd/format', `${format + 1}\n`)
    await assert.rejects(gateway.install(machine, built().first), /format/)
    machine.write('/var/lib/portcullis/applyd/format', `${format}\n`)
    await machine.must(['dpkg', '--configure', '--pending'])
    await gateway.untilServing(machine)
  })

  it('stops when it is stopped, and starts again', async () => {
    await machine.must(['systemctl', 'stop', units.all])
    for (const unit of [units.applyd, units.gatewayd, units.socket])
      await until(`${unit} is stopped`, async () => (await gateway.stateOf(machine, unit)) === 'inactive')
    await until('engines have ended', async () => (await gateway.pidsOf(machine, 'unbound')).length === 0)
    // The last rules stay.
    assert.match(await gateway.tables(machine), /^table inet portcullis$/m)
    assert.equal(await seenAddress(machine), ownAddress)
    await machine.must(['systemctl', 'start', units.all])
    await gateway.untilServing(machine)
    await gateway.assertActive(machine)
  })

  it('leaves its state and nothing else when it is removed', async () => {
    await machine.must(['dpkg', '--remove', 'portcullis'])
    const now = await takeSnapshot(machine)
    const kept = /\/var\/lib\/portcullis|\/etc\/portcullis|portcullis\S*:x:|\/etc\/(?:passwd|group|shadow|gshadow)$/
    // dpkg and systemd's helper keep what a purge needs, and which units were enabled for the next installation.
    const ofDpkg = /\/var\/lib\/dpkg\/info\/portcullis\.(?:list|postrm)|deb-systemd-helper-|\.wants\/portcullis/
    const changed = differences(untouched, now).filter((line) => !kept.test(line) && !ofDpkg.test(line))
    assert.deepEqual(changed, [])
    assert.ok(now.files?.some((line) => line.startsWith('/var/lib/portcullis/gateway ')))
  })

  it('leaves the machine as it was when it is purged', async () => {
    await machine.must(['dpkg', '--purge', 'portcullis'])
    assert.deepEqual(differences(untouched, await takeSnapshot(machine)), [])
  })
})
