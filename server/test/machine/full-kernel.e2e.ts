// The package on a machine with its own kernel, at night: what the kernel around the other tests does not have. Limits of control
// groups, VLAN, aggregated interfaces, GRE, AppArmor, inspection through the queue of nftables, upgrade and removal.
// Requirement 53.

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { until } from '../support/until.ts'
import { FullKernel, openApi, password, reasonWithoutEmulator, savedMachine, slowMs } from './full-kernel.ts'
import { describeOnReleases } from './on-releases.ts'

const groups = '/sys/fs/cgroup/system.slice/portcullis-groups.service'

await describeOnReleases('a gateway with its own kernel', { isNightly: true, atOnce: 1 }, (suite, built) => {
  const skip = reasonWithoutEmulator()
  const slowly = { skip, timeout: slowMs }
  let machine: FullKernel
  let api: Awaited<ReturnType<typeof openApi>>
  before(
    async () => {
      if (skip) return
      machine = await FullKernel.boot(await savedMachine(suite, built().first, built().dependencies), `k${process.pid}`)
      api = await openApi(machine)
    },
    { timeout: 3 * slowMs },
  )
  after(async () => {
    api?.[Symbol.dispose]()
    await machine?.[Symbol.asyncDispose]()
  })

  const processesOf = async (group: string): Promise<string[]> =>
    (await machine.run(['cat', `${groups}/${group}/cgroup.procs`])).stdout.split('\n').filter(Boolean)
  /** Waits on state, as long as an emulated machine needs. */
  const eventually = (what: string, isTrue: () => Promise<boolean>) => until(what, isTrue, slowMs)

  it('lets the client out', slowly, async () => {
    await eventually('the client gets out', async () => {
      const { stdout } = await machine.beside('client', ['busybox', 'wget', '-qO-', 'http://198.51.100.10/'])
      return stdout.startsWith('internet of')
    })
  })

  it('has each engine in a group with limits', slowly, async () => {
    assert.equal((await processesOf('keeper')).length, 1)
    assert.equal((await processesOf('engines/dns')).length > 0, true)
    const numbers = await machine.shell(`cat ${groups}/engines/memory.max ${groups}/engines/dns/memory.max`)
    const [all = 0, one = 0] = numbers.trim().split('\n').map(Number)
    assert.ok(one > 0 && one < all, numbers)
  })

  it('ends an engine that takes too much memory, and nothing else', slowly, async () => {
    const applyd = (): Promise<string> =>
      machine.must(['systemctl', 'show', '-p', 'MainPID', 'portcullis-applyd.service'])
    const before = { dns: await processesOf('engines/dns'), applyd: await applyd() }
    await machine.shell(
      `echo 150M > ${groups}/engines/dns/memory.max; (echo $$ > ${groups}/engines/dns/cgroup.procs; tail /dev/zero) || true`,
    )
    await eventually('DNS is started again', async () => {
      const now = await processesOf('engines/dns')
      return now.length > 0 && !now.some((pid) => before.dns.includes(pid))
    })
    assert.equal(await applyd(), before.applyd)
  })

  it('keeps engines in their groups when applyd is restarted', slowly, async () => {
    const before = await processesOf('engines/dns')
    await machine.must(['systemctl', 'restart', 'portcullis-applyd.service'])
    assert.deepEqual(await processesOf('engines/dns'), before)
  })

  it('confines DNS with AppArmor, which refuses it nothing', slowly, async () => {
    const [pid] = await processesOf('engines/dns')
    assert.match(await machine.shell(`cat /proc/${pid}/attr/current`), /unbound.* \(enforce\)/)
    assert.doesNotMatch(await machine.shell('dmesg'), /apparmor="DENIED".*portcullis/)
  })

  it(
    'gives an aggregated interface the address of its card, and no address from a router advertisement',
    slowly,
    async () => {
      await machine.shell(
        'ip netns add far; for n in 1 2; do ip link add c$n address 02:00:00:00:00:0$n type veth peer name f$n netns far; ip link set c$n up; ip -n far link set f$n up; done',
      )
      const nics = ['02:00:00:00:00:01', '02:00:00:00:00:02']
      const { id } = await api.call('POST', '/network/aggregated', { enabled: true, title: 'trunk', comment: '', nics })
      const read = async () => JSON.parse(await machine.shell('ip -j -d addr show type bond')) as BondShown[]
      await eventually('the device is up', async () => (await read())[0]?.flags.includes('UP') ?? false)
      const [bond] = await read()
      assert.equal(bond?.address, nics[0])
      assert.equal((await machine.shell(`cat /proc/sys/net/ipv6/conf/${bond?.ifname}/accept_ra`)).trim(), '0')
      await api.call('DELETE', `/network/aggregated/${id}`)
      await eventually('the device is gone', async () => (await read()).length === 0)
      await machine.shell('ip link del c1; ip link del c2; ip netns del far')
    },
  )

  /** A card of the gateway whose other end is in another namespace. */
  const addCard = (number: number): Promise<string> =>
    machine.shell(
      `ip netns add far${number}; ip link add c${number} address 02:00:00:00:00:0${number} type veth peer name f${number} netns far${number}; ip link set c${number} up; ip -n far${number} link set f${number} up`,
    )
  const addConnection = (number: number, address: string, tag: number | null) =>
    api.call('POST', '/network/connections', {
      ...{ type: 'lan', title: `net ${number}`, enabled: true, mac: `02:00:00:00:00:0${number}`, enable_dhcp: false },
      ...{
        addresses: [address],
        gateway: null,
        dns: [],
        vlan_tag: tag,
        zone: null,
        is_vce_vlan: false,
        netflow_index: 0,
      },
    }) as Promise<{ id: number }>
  /** Addresses of the peer exist on that device alone, so an answer came over it. */
  const answersPeer = (number: number, address: string): Promise<void> =>
    eventually(`${address} answers`, async () => {
      const ping = ['ip', 'netns', 'exec', `far${number}`, 'ping', '-c', '1', '-w', '60', address]
      return (await machine.run(ping)).code === 0
    })

  it('speaks to a peer over a VLAN', slowly, async () => {
    await addCard(3)
    await machine.shell(
      'ip -n far3 link add link f3 name f3.5 type vlan id 5; ip -n far3 addr add 10.55.0.2/24 dev f3.5; ip -n far3 link set f3.5 up',
    )
    await addConnection(3, '10.55.0.1/24', 5)
    await answersPeer(3, '10.55.0.1')
  })

  it('speaks to a peer through a GRE tunnel', slowly, async () => {
    await addCard(4)
    await machine.shell(
      'ip -n far4 addr add 10.66.0.2/24 dev f4; ip -n far4 link add g1 type gre local 10.66.0.2 remote 10.66.0.1 ttl 64; ip -n far4 addr add 172.30.0.2/30 dev g1; ip -n far4 link set g1 up',
    )
    const { id } = await addConnection(4, '10.66.0.1/24', null)
    await api.call('POST', '/network/tunnels', {
      ...{ title: 'branch', enabled: true, comment: '', addresses: ['172.30.0.1/30'], gateway: null },
      ...{ parent_interface: `interface.id.${id}`, server: '10.66.0.2', zone: null, netflow_index: 0 },
    })
    await answersPeer(4, '172.30.0.1')
  })

  it('stops an attack through the queue of nftables', slowly, async () => {
    await api.call('PATCH', '/ips/state', { enabled: true })
    const rule = { action: 'accept', ips_enabled: true, ips_profile: '__DEFAULT_IPS_PROFILE_ID__' }
    await api.call('POST', '/firewall/rules/forward', rule)
    await eventually('inspection is active', async () => {
      const { state, channels } = (await api.call('GET', '/inspection/channels')) as InspectionShown
      return state === 'active' && channels.every(({ in_force }) => in_force !== null)
    })
    assert.match(await machine.must(['nft', 'list', 'ruleset']), /queue (?:flags bypass )?to 70/)
    const ask = (agent: string) =>
      machine.beside('client', ['curl', '-s', '-m', '120', '-A', agent, 'http://198.51.100.10/'])
    assert.equal((await ask('curl')).code, 0)
    assert.notEqual((await ask('Meterpreter')).code, 0)
  })

  it('answers status and health in its own time', slowly, async () => {
    const { code, stdout, stderr } = await machine.run([
      'sh',
      '-c',
      `echo ${password} | gw login --password-stdin && gw status`,
    ])
    assert.equal(code, 0, `${stdout}${stderr}`)
    assert.doesNotMatch(stdout, /timed out/)
  })

  it('is removed, and leaves the machine as it was', slowly, async () => {
    await machine.must(['apt-get', 'remove', '-y', 'portcullis'])
    assert.doesNotMatch(await machine.must(['nft', 'list', 'tables']), /portcullis/)
    assert.equal((await machine.run(['test', '-e', groups])).code, 1)
  })
})

interface BondShown {
  readonly ifname: string
  readonly address: string
  readonly flags: readonly string[]
}

interface InspectionShown {
  readonly state: string
  readonly channels: readonly { readonly in_force: string | null }[]
}
