// Device discovery by packets: a host that nothing authorizes tries to go out, becomes a user by what the kernel knows of it, and
// gets through; one that is denied, or that only claims an address, does not.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { acknowledged, askDhcp, hexOf } from '../support/dhcp.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const password = 'correct horse 9'
const skip = lacking('/usr/sbin/dnsmasq')
const clientAddress = '10.10.0.2'
const routed = '192.168.77.7'

interface User {
  readonly id: string
  readonly name: string
  readonly login: string
  readonly comment: string
}

interface Rule {
  readonly ip: string | null
  readonly mac: string | null
  readonly user_id: number
}

interface Device {
  readonly ip: string
  readonly mac: string
  readonly user_id: number | null
}

describe('device discovery in a lab', { skip }, () => {
  let gateway: LabGateway
  let api: ApiClient
  let mac = ''
  let group = 0

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    const { stdout } = await gateway.exec('client', ['/usr/sbin/ip', '-j', 'link', 'show', 'dev', 'lan0'])
    mac = (JSON.parse(stdout) as { address: string }[])[0]?.address ?? ''
    group = (await ok('POST', '/user_backend/groups', { name: 'Devices', parent_id: 1 })).id
    await giveLease()
    await ok('PATCH', '/netscan_backend/settings', { enabled: true, group_id: group, networks: [] })
    await ok('PATCH', '/auth/settings', { allow_internet_to_everyone: false, web_authorization: false })
  })
  after(async () => {
    api.close()
    await gateway.stop()
  })

  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  /** The client has its address by hand; a lease for the same address brings its name. */
  const giveLease = async (): Promise<void> => {
    const connections = (await ok('GET', '/network/connections')) as { id: number; type: string }[]
    const server = {
      dns: [],
      domain: '',
      gateway: '',
      lease_time: 60,
      options: [],
      ranges: [],
      routes: [],
      tftp_filename: '',
      tftp_server: '',
      wins: [],
      wpad_enabled: false,
    }
    const lan = `interface.id.${connections.find(({ type }) => type === 'lan')?.id}`
    await ok('POST', '/dhcp_server/settings', { enabled: true, interface: lan, relay: null, server })
    await ok('POST', '/dhcp_server/static_leases', { comment: '', enabled: true, ip_address: clientAddress, mac })
    const ask = { kind: 'lease', mac, options: { 12: hexOf('front-desk') }, timeoutMs: 60_000 } as const
    assert.equal((await askDhcp(gateway, 'client', [ask]))[0]?.type, acknowledged)
  }
  const users = (): Promise<User[]> => ok('GET', '/user_backend/users')
  const rules = (): Promise<Rule[]> => ok('GET', '/auth/rules')
  const getsOut = async (...options: string[]): Promise<boolean> => {
    const command = ['/usr/bin/curl', '-sS', '-m', '5', ...options, 'http://198.51.100.10/']
    return (await gateway.exec('client', command)).stdout.includes('"server":"198.51.100.10"')
  }

  it('does not believe an address of the segment that answers to no one', async () => {
    const claimed = '10.10.0.77'
    // It is on a device without ARP, so that no frame tells the gateway whose it is.
    const steps = [
      ['/usr/sbin/ip', 'address', 'add', `${claimed}/32`, 'dev', 'lo'],
      ['/usr/sbin/sysctl', '-qw', 'net.ipv4.conf.lan0.arp_ignore=1', 'net.ipv4.conf.lan0.arp_announce=2'],
    ]
    for (const step of steps) assert.equal((await gateway.exec('client', step)).code, 0)
    assert.equal(await getsOut('--interface', claimed), false)
    assert.deepEqual(await users(), [])
    assert.equal(
      (await gateway.exec('client', ['/usr/sbin/ip', 'address', 'del', `${claimed}/32`, 'dev', 'lo'])).code,
      0,
    )
  })

  it('makes a user of a host in the segment, which then gets through', async () => {
    await until('the host gets through', () => getsOut())
    const [user, ...others] = await users()
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(user, { name: 'front-desk', parent_id: `group.id.${group}`, domain_type: 'local' })
    assert.equal(user?.login, `device-${mac.replaceAll(':', '-')}`)
    assert.match(user?.comment ?? '', /^Found by device discovery at 10\.10\.0\.2; MAC [0-9a-f:]+, random address$/)
    assert.partialDeepStrictEqual(await rules(), [{ ip: null, mac, user_id: Number(user?.id.split('.').at(-1)) }])
    const shown = ((await ok('GET', '/netscan_backend/devices')) as Device[]).find(({ ip }) => ip === clientAddress)
    assert.partialDeepStrictEqual(shown, {
      mac,
      hostname: 'front-desk',
      device: 'lan0',
      vendor: 'random address',
      user_id: 1,
    })
    const [status] = (await ok('GET', '/netscan_backend/status')) as { status: string }[]
    assert.equal(status?.status, 'active')
  })

  it('makes a user of a host behind a router by its address', async () => {
    const address = ['/usr/sbin/ip', 'address', 'add', `${routed}/32`, 'dev', 'lo']
    assert.equal((await gateway.exec('client', address)).code, 0)
    const route = ['/usr/sbin/ip', 'route', 'add', `${routed}/32`, 'via', clientAddress, 'dev', 'lan0']
    assert.equal((await gateway.exec('gateway', route)).code, 0)
    await until('the host gets through', () => getsOut('--interface', routed))
    const found = (await users()).find(({ name }) => name === routed)
    assert.equal(found?.login, 'device-192-168-77-7')
    assert.ok((await rules()).some(({ ip, mac: card }) => ip === routed && card === null))
  })

  it('makes no second user of a host that is denied, also after a restart', async () => {
    const [user] = await users()
    assert.ok(user)
    const { id, ...fields } = user
    await ok('PUT', `/user_backend/users/${id}`, { ...fields, enabled: true })
    await until('the host is kept out', async () => !(await getsOut()))
    const known = await users()
    await gateway.killGatewayd()
    assert.equal(await getsOut(), false)
    assert.deepEqual(await users(), known)
  })
})
