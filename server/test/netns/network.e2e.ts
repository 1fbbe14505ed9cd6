// Interfaces on the wire: what an administrator writes is what the kernel of the lab has and what a client meets; what
// this kernel lacks is reported with its own words.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { labCables } from '../../src/tools/lab/network.ts'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const macOf = (device: string): string =>
  labCables.flat().find((end) => end.namespace === 'gateway' && end.name === device)?.mac ?? ''

interface State {
  readonly id: number
  readonly ether: {
    readonly device: string | null
    readonly addresses: readonly string[]
    readonly gateway: string | null
    readonly dns: readonly string[]
    readonly status: string
    readonly errors: readonly string[]
  }
  readonly summary: { readonly device: string | null; readonly ifindex: number | null }
}

describe('interfaces on the wire', () => {
  let gateway: LabGateway
  let api: ApiClient
  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    await until('the interfaces are up', async () => (await states()).every(({ ether }) => ether.status === 'up'))
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  const states = async (): Promise<readonly State[]> => api.ok('GET', '/network/states')
  const stateOf = async (id: number): Promise<State> => {
    const state = (await states()).find((one) => one.id === id)
    assert.ok(state)
    return state
  }
  const connectionOn = async (device: string): Promise<{ id: number; type: string; addresses: string[] }> => {
    const all = (await api.ok('GET', '/network/connections')) as {
      id: number
      type: string
      mac: string
      addresses: string[]
    }[]
    const found = all.find(({ mac }) => mac === macOf(device))
    assert.ok(found, `no connection on ${device}`)
    return found
  }
  const inside = async (namespace: string, ...argv: string[]): Promise<string> => {
    const { stdout } = await gateway.exec(namespace, argv)
    return stdout
  }
  /** A refusal is an answer too: someone has this address and the way back is right. */
  const answersClient = async (address: string): Promise<boolean> => {
    const { stderr } = await gateway.exec('client', ['/bin/bash', '-c', `exec 3<>/dev/tcp/${address}/9`])
    return stderr.includes('Connection refused')
  }
  const reachesInternet = async (): Promise<boolean> => {
    const { code } = await gateway.exec('client', ['/usr/bin/curl', '-s', '-m', '10', 'http://198.51.100.10/'])
    return code === 0
  }

  it('are taken over as they were found', async () => {
    const wan = await connectionOn('wan0')
    const lan = await connectionOn('lan0')
    assert.deepEqual(
      [wan.type, wan.addresses, lan.type, lan.addresses],
      ['wan', ['203.0.113.2/24'], 'lan', ['10.10.0.1/24']],
    )
    const { ether } = await stateOf(wan.id)
    assert.deepEqual([ether.device, ether.gateway, ether.errors], ['wan0', '203.0.113.1', []])
    assert.match(
      await inside('gateway', '/usr/sbin/ip', 'route', 'show', 'default'),
      /^default via 203\.0\.113\.1 dev wan0 proto 77 /,
    )
    assert.ok(await reachesInternet())
  })

  it('get a second address that clients reach, while the first goes on', async () => {
    const { id } = await connectionOn('lan0')
    await inside('client', '/usr/sbin/ip', 'addr', 'add', '10.20.0.2/24', 'dev', 'lan0')
    assert.equal(await answersClient('10.20.0.1'), false)
    await api.ok('PATCH', `/network/connections/${id}`, { addresses: ['10.10.0.1/24', '10.20.0.1/24'] })
    assert.equal(await answersClient('10.20.0.1'), true)
    assert.equal(await answersClient('10.10.0.1'), true)
    assert.ok(await reachesInternet())
  })

  it('move to another address', async () => {
    const { id } = await connectionOn('lan0')
    await api.ok('PATCH', `/network/connections/${id}`, { addresses: ['10.20.0.1/24'] })
    assert.equal(await answersClient('10.20.0.1'), true)
    assert.doesNotMatch(await inside('gateway', '/usr/sbin/ip', 'addr', 'show', 'dev', 'lan0'), /10\.10\.0\.1/)
    await api.ok('PATCH', `/network/connections/${id}`, { addresses: ['10.10.0.1/24'] })
    assert.equal(await answersClient('10.10.0.1'), true)
    assert.ok(await reachesInternet())
  })

  it('change the gateway of the default route', async () => {
    const { id } = await connectionOn('wan0')
    await api.ok('PATCH', `/network/connections/${id}`, { gateway: null })
    assert.equal(await inside('gateway', '/usr/sbin/ip', 'route', 'show', 'default'), '')
    assert.equal(await reachesInternet(), false)
    await api.ok('PATCH', `/network/connections/${id}`, { gateway: '203.0.113.1' })
    await until('the internet is back', reachesInternet)
  })

  it('are found again when someone changes them by hand', async () => {
    await inside('gateway', '/usr/sbin/ip', 'addr', 'del', '10.10.0.1/24', 'dev', 'lan0')
    await until('the address is back', () => answersClient('10.10.0.1'))
  })

  it('take address, default route and DNS from a provider by DHCP', async (t) => {
    const reason = lacking('/usr/sbin/udhcpc')
    if (reason !== false) return t.skip(reason)
    const pidFile = '/run/network-e2e-dnsmasq.pid'
    await inside(
      'internet',
      '/usr/sbin/dnsmasq',
      '--conf-file=/dev/null',
      '--port=0',
      '--no-ping',
      '--leasefile-ro',
      '--user=root',
      `--pid-file=${pidFile}`,
      '--interface=gw2',
      '--dhcp-range=198.18.0.100,198.18.0.100,255.255.255.0,10m',
      '--dhcp-option=option:dns-server,198.18.0.53',
      '--dhcp-option=option:router,198.18.0.1',
    )
    const body = { type: 'wan', title: 'Second', enabled: true, mac: macOf('opt0'), enable_dhcp: true, addresses: [] }
    const { id } = await api.ok('POST', '/network/connections', body)
    await until('the lease is there', async () => (await stateOf(id)).ether.status === 'up')
    const { ether } = await stateOf(id)
    assert.deepEqual(
      [ether.device, ether.addresses, ether.gateway, ether.dns],
      ['opt0', ['198.18.0.100/24'], '198.18.0.1', ['198.18.0.53']],
    )
    const routes = await inside('gateway', '/usr/sbin/ip', 'route', 'show', 'default')
    assert.match(routes, /^default via 203\.0\.113\.1 dev wan0 .*metric 100/m)
    assert.match(routes, /^default via 198\.18\.0\.1 dev opt0 .*metric 300/m)

    // Without the first provider the second one carries the traffic.
    await api.ok('PATCH', `/network/connections/${(await connectionOn('wan0')).id}`, { enabled: false })
    await until('the internet answers through the second provider', reachesInternet)
    await api.ok('PATCH', `/network/connections/${(await connectionOn('wan0')).id}`, { enabled: true })
    await api.ok('DELETE', `/network/connections/${id}`)
    assert.doesNotMatch(await inside('gateway', '/usr/sbin/ip', 'addr', 'show', 'dev', 'opt0'), /inet /)
    assert.doesNotMatch(await inside('gateway', '/usr/sbin/ip', 'link', 'show', 'dev', 'opt0'), /[<,]UP[,>]/)
  })

  const kernelLacksIt = /Unknown device type|not supported/
  /** Up with a device that the kernel shows, or down with its words. */
  const isMadeOrRefused = async (id: number, device: RegExp): Promise<void> => {
    await until('the kernel has answered', async () => (await stateOf(id)).ether.status !== 'going-up')
    const { ether, summary } = await stateOf(id)
    assert.match(ether.device ?? '', device)
    if (ether.status === 'up') assert.ok(summary.ifindex)
    else assert.match(ether.errors[0] ?? '', kernelLacksIt)
  }

  it('that this kernel cannot make are reported with its own words', async () => {
    const { id } = await api.ok('POST', '/network/connections', {
      type: 'lan',
      title: 'Guests',
      enabled: true,
      mac: macOf('lan0'),
      vlan_tag: 5,
      enable_dhcp: false,
      addresses: ['10.50.0.1/24'],
    })
    await isMadeOrRefused(id, /^lan0\.5$/)
    const provider = await api.ok('POST', '/network/connections', {
      type: 'pppoe',
      title: 'DSL',
      enabled: true,
      mac: macOf('opt0'),
      login: 'me',
      password: 'secret',
    })
    const ppp = ((await states()).find((one) => one.id === provider.id) as State & { ppp: { errors: string[] } }).ppp
    assert.ok(ppp.errors.length > 0)
    for (const one of [id, provider.id]) await api.ok('DELETE', `/network/connections/${one}`)
    assert.ok(await reachesInternet())
  })

  it('that are aggregated are made, or refused with the words of the kernel', async () => {
    const pair = { enabled: true, title: 'Pair', comment: '', nics: [macOf('opt0')] }
    const { id: mac } = await api.ok('POST', '/network/aggregated', pair)
    const { id } = await api.ok('POST', '/network/connections', {
      type: 'lan',
      title: 'On the pair',
      enabled: true,
      mac,
      enable_dhcp: false,
      addresses: ['10.60.0.1/24'],
    })
    await isMadeOrRefused(id, /^ag/)
    const link = (await stateOf(id)).ether.status === 'up' ? 'up' : 'down'
    assert.deepEqual(await api.ok('GET', '/network/aggregated_states'), [{ id: mac, link }])
    await api.ok('DELETE', `/network/connections/${id}`)
    await api.ok('DELETE', `/network/aggregated/${mac}`)
    assert.doesNotMatch(await inside('gateway', '/usr/sbin/ip', 'link', 'show'), / ag/)
    assert.ok(await reachesInternet())
  })

  it('that are GRE tunnels are made, or refused with the words of the kernel', async () => {
    const wan = await connectionOn('wan0')
    const { id } = await api.ok('POST', '/network/tunnels', {
      title: 'Branch',
      enabled: true,
      comment: '',
      addresses: ['10.70.0.1/30'],
      gateway: null,
      zone: null,
      parent_interface: `interface.id.${wan.id}`,
      server: '203.0.113.1',
      netflow_index: 0,
    })
    const [{ osdevname }] = await api.ok('GET', '/network/tunnels')
    const state = async () => (await api.ok('GET', '/network/tunnel_states'))[0]
    const errors = async () => (await stateOf(wan.id)).ether.errors
    await until('the kernel has answered', async () => (await state()).link === 'up' || (await errors()).length > 0)
    const { link, local_ip } = await state()
    assert.equal(local_ip, '203.0.113.2')
    if (link === 'up') {
      const shown = await inside('gateway', '/usr/sbin/ip', '-d', 'link', 'show', 'dev', osdevname)
      assert.match(shown, /gre remote 203\.0\.113\.1 local 203\.0\.113\.2/)
    } else {
      assert.equal(link, 'down')
      assert.match((await errors()).join(), /^GRE tunnel “Branch”: /)
      assert.match((await errors()).join(), kernelLacksIt)
    }
    await api.ok('DELETE', `/network/tunnels/${id}`)
    await until('nothing is said about it any more', async () => (await errors()).length === 0)
    assert.doesNotMatch(await inside('gateway', '/usr/sbin/ip', 'link', 'show'), new RegExp(osdevname))
    assert.ok(await reachesInternet())
  })

  it('go down when switched off and come back', async () => {
    const { id } = await connectionOn('lan0')
    await api.ok('PATCH', `/network/connections/${id}`, { enabled: false })
    assert.equal(await answersClient('10.10.0.1'), false)
    assert.doesNotMatch(await inside('gateway', '/usr/sbin/ip', 'link', 'show', 'dev', 'lan0'), /[<,]UP[,>]/)
    assert.equal((await stateOf(id)).ether.status, 'down')
    await api.ok('PATCH', `/network/connections/${id}`, { enabled: true })
    assert.equal(await answersClient('10.10.0.1'), true)
    await until('the state says so', async () => (await stateOf(id)).ether.status === 'up')
  })

  it('stay through the death of applyd and of gatewayd', async () => {
    await gateway.killApplyd()
    assert.ok(await reachesInternet())
    await gateway.killGatewayd()
    assert.ok(await reachesInternet())
  })
})
