// One host cannot take the table of connections from the others: real connections are opened and held through the lab until
// the host has as many as it may, and until nothing more is forwarded.
// Requirements 35 and 73.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import { acceptConnections, holdConnections } from '../support/held-connections.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { type LabHost, LabHosts } from '../support/lab-hosts.ts'
import { until } from '../support/until.ts'
import { Wire } from '../support/wire.ts'

const password = 'correct horse 9'
const [client, server] = ['10.10.0.2', '198.51.100.20']
const heldPort = 9100
const limit = 1024
const path = '/firewall/connection_limits'

interface State {
  readonly tracked: number
  readonly local_host: number
  readonly forwarded: number
  readonly is_full: boolean
  readonly refused_local: number
  readonly refused_outside: number
  readonly refused_full: number
  readonly hosts: readonly string[]
}

describe('tracked connections', () => {
  let gateway: LabGateway
  let api: ApiClient
  let wire: Wire
  let other: LabHost
  let sink: ReturnType<typeof acceptConnections>

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    gateway.log.expect(
      /A host has as many connections as it may/,
      /Too many connections are tracked/,
      /New connections are forwarded again/,
    )
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    wire = new Wire(gateway, client, server)
    await wire.addAddresses('internet', 'lo', [`${server}/32`])
    await wire.listen('internet', [server], [9000])
    sink = acceptConnections(gateway.stateDir, 'internet', server, heldPort)
    other = await new LabHosts(gateway, api).beside({ address: '10.10.0.7/24', mac: '02:00:0a:0a:00:07' })
  })
  after(async () => {
    await sink?.release()
    api.close()
    await gateway.stop()
  })

  const state = async () => (await api.ok('GET', `${path}/state`)) as State
  const finding = async () => {
    const { checks } = (await api.ok('GET', '/health')) as { checks: { id: string; state: string; message: string }[] }
    return checks.find(({ id }) => id === 'connection-limits')
  }
  const isQuiet = () => until('the connections are forgotten', async () => (await state()).tracked < 300)

  it('are forgotten after hours without a packet, and not after days', async () => {
    await wire.passes({ port: 9000 })
    const { stdout } = await gateway.exec('gateway', [
      '/usr/bin/cat',
      '/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established',
    ])
    assert.equal(Number(stdout), 14_400)
  })

  it('of one host end at its limit, and others connect', async () => {
    await api.ok('PATCH', path, { local_host: limit })
    assert.equal((await state()).local_host, limit)
    const held = await holdConnections(gateway.stateDir, [], [client, server, heldPort, 2 * limit])
    try {
      // The parts by which they are counted do not fill evenly.
      assert.ok(held.open >= limit / 2 && held.open <= limit, `${held.open} of ${2 * limit} were answered`)
      await other.wire(server).passes({ port: 9000 })
      const { refused_local, hosts, tracked } = await state()
      assert.ok(refused_local >= limit / 2, `${refused_local} packets are counted as refused`)
      assert.deepEqual(hosts, [client])
      assert.ok(tracked < limit + 300, `${tracked} are tracked`)
      await until('health names the host', async () => (await finding())?.message.includes(client) ?? false)
      assert.equal((await finding())?.state, 'warning')
      await until('it is logged', async () =>
        Object.values(gateway.logs()).some((text) =>
          text.includes(`as it may; new ones are refused","host":"${client}"`),
        ),
      )
    } finally {
      await held.release()
    }
    await isQuiet()
    await wire.passes({ port: 9000 })
  })

  it('leave room for the gateway itself, no matter who has them', async () => {
    await api.ok('PATCH', path, { local_host: 8192, forwarded: 600 })
    const first = await holdConnections(gateway.stateDir, [], [client, server, heldPort, 400])
    const second = await holdConnections(gateway.stateDir, other.enter, [other.address, server, heldPort, 400])
    try {
      assert.ok(first.open === 400 && second.open > 0)
      await until('no new connection is forwarded', async () => (await state()).is_full)
      await wire.isBlocked({ port: 9000 })
      await other.wire(server).isBlocked({ port: 9000 })
      assert.ok((await state()).refused_full > 0)
      // To the gateway itself, by a connection that did not exist before.
      const { code, stderr } = await gateway.exec('client', [
        '/usr/bin/dig',
        '+tcp',
        '+tries=1',
        '+time=30',
        '@10.10.0.1',
        'localhost',
      ])
      assert.equal(code, 0, stderr)
      await until('health says so', async () => (await finding())?.state === 'failed')
    } finally {
      await Promise.all([first.release(), second.release()])
    }
    await until('new connections are forwarded again', async () => !(await state()).is_full)
    await isQuiet()
    await wire.passes({ port: 9000 })
    await api.ok('PATCH', path, { local_host: 0, forwarded: 0 })
  })

  it('of a host outside end at its limit behind a DNAT rule', async () => {
    await api.ok('PATCH', path, { outside_host: 512 })
    await wire.listen('client', [client], [9000])
    const inner = acceptConnections(gateway.stateDir, 'client', client, heldPort)
    const object = (kind: string, title: string, value: unknown) =>
      api.ok('POST', `/aliases/${kind}`, { title, comment: '', value }) as Promise<{ id: string }>
    const own = await object('ip_addresses', 'outside', '203.0.113.2')
    const target = await object('ip_addresses', 'inside', client)
    await api.ok('POST', '/firewall/rules/dnat', {
      action: 'dnat',
      destination_addresses: [own.id],
      change_destination_address: target.id,
    })
    const held = await holdConnections(gateway.stateDir, [], ['203.0.113.1', '203.0.113.2', heldPort, 1024], 'internet')
    try {
      assert.ok(held.open >= 256 && held.open <= 512, `${held.open} of 1024 were answered`)
      assert.ok((await state()).refused_outside > 0)
      await wire.passes({ from: 'internet', source: server, destination: '203.0.113.2', port: 9000 })
    } finally {
      await held.release()
      await inner.release()
    }
  })

  it('of IPv6 are counted for a network of 64 bits, whatever address of it is used', async () => {
    await api.ok('PATCH', path, { local_host: 512 })
    const add = async (namespace: string, address: string) => {
      const args = ['addr', 'add', address, 'dev', 'lan0', 'nodad']
      const { code, stderr } = await gateway.exec(namespace, ['/usr/sbin/ip', ...args])
      assert.equal(code, 0, stderr)
    }
    for (const network of ['fd00:10', 'fd00:11']) {
      await add('gateway', `${network}::1/64`)
      for (const host of ['2', '3']) await add('client', `${network}::${host}/64`)
    }
    const inner = acceptConnections(gateway.stateDir, 'gateway', '::', heldPort)
    await until('it listens', async () =>
      (await gateway.exec('gateway', ['/usr/bin/ss', '-Hltn'])).stdout.includes(`:${heldPort} `),
    )
    const hold = (network: string, host: string) =>
      holdConnections(gateway.stateDir, [], [`${network}::${host}`, `${network}::1`, heldPort, 400])
    const held = [await hold('fd00:10', '2'), await hold('fd00:10', '3'), await hold('fd00:11', '2')]
    try {
      const [first, second, other] = held.map(({ open }) => open)
      assert.ok((first ?? 0) + (second ?? 0) <= 512, `${first} and ${second} of one network`)
      assert.ok((other ?? 0) >= 256, `${other} of another one`)
    } finally {
      for (const one of held) await one.release()
      await inner.release()
    }
    await api.ok('PATCH', path, { local_host: 0 })
  })

  it('cannot be limited to less than an honest host needs', async () => {
    for (const field of ['local_host', 'outside_host', 'forwarded']) {
      const { status, body } = await api.call('PATCH', path, { [field]: 511 })
      assert.equal(status, 422)
      assert.ok(JSON.stringify(body).includes(field))
    }
  })
})
