// The DHCP endpoints over the whole service: entries for server and relay, static leases, what is refused and how it is named.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const serverOf = (net: number, more: object = {}) => ({
  dns: ['192.0.2.53'],
  domain: 'office.example',
  gateway: '',
  lease_time: 60,
  options: [{ comment: '', enabled: true, forced: false, option: '176,"MCIPADD=1.2.3.4,MCPORT=1719"' }],
  ranges: [`10.98.${net}.10-10.98.${net}.100`],
  routes: [{ destination: '10.0.0.0/8', gateway: `10.98.${net}.2` }],
  tftp_filename: '',
  tftp_server: '',
  wins: [],
  wpad_enabled: false,
  ...more,
})

let lastNet = 0
const lease = (more: object = {}) => ({
  comment: '',
  enabled: true,
  ip_address: '192.168.0.40',
  mac: '50:46:5d:6e:8c:20',
  ...more,
})

describe('DHCP', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const entriesPath = '/dhcp_server/settings'
  const leasesPath = '/dhcp_server/static_leases'

  const add = async (path: string, body: unknown) => {
    const answer = await admin('POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const shown = async (path: string) => (await admin('GET', path)).body
  const listed = async (path: string, id: unknown) =>
    (await shown(path)).find((item: { id: unknown }) => item.id === id)
  const fieldsOf = (answer: Answer, status = 422): string[] => {
    assert.equal(answer.status, status, answer.text)
    return answer.body.problems.map((problem: { field: string }) => problem.field)
  }
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await admin(method, path, body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, '')
  }

  /** A connection on a separate card and in a separate network, so that tests do not affect each other. */
  const addConnection = async (more: object = {}) => {
    const net = ++lastNet
    const mac = `02:00:00:00:0e:${net.toString(16).padStart(2, '0')}`
    const body = { type: 'lan', title: `Net ${net}`, enabled: true, mac, enable_dhcp: false }
    const id = await add('/network/connections', { ...body, addresses: [`10.98.${net}.1/24`], ...more })
    return { net, id: Number(id), alias: `interface.id.${id}` }
  }

  const addServer = async () => {
    const { net, alias, id: connection } = await addConnection()
    const body = { enabled: true, interface: alias, relay: null, server: serverOf(net) }
    return { net, alias, connection, body, id: await add(entriesPath, body) }
  }

  const relay = { external_servers: ['192.0.2.67', '192.0.2.68'] }

  it('shows entries for server and relay as they were sent, in order', async () => {
    const one = await addServer()
    const { alias } = await addConnection()
    const body = { enabled: true, interface: alias, relay, server: null }
    const id = await add(entriesPath, body)
    const all = await shown(entriesPath)
    assert.deepEqual(all.slice(-2), [
      { ...one.body, id: one.id },
      { ...body, id },
    ])
    await done('DELETE', `${entriesPath}/${one.id}`)
    assert.equal(await listed(entriesPath, one.id), undefined)
    assert.equal((await admin('DELETE', `${entriesPath}/${one.id}`)).status, 404)
    assert.equal((await admin('PATCH', `${entriesPath}/${one.id}`, { enabled: false })).status, 404)
    assert.notEqual(await add(entriesPath, one.body), one.id)
  })

  it('understands the id of a connection alone', async () => {
    const { id, alias } = await addConnection()
    const made = await add(entriesPath, { enabled: false, interface: String(id), relay, server: null })
    assert.equal((await listed(entriesPath, made)).interface, alias)
    const other = await addConnection()
    await done('PATCH', `${entriesPath}/${made}`, { interface: String(other.id) })
    assert.equal((await listed(entriesPath, made)).interface, other.alias)
  })

  it('turns a server into a relay and back, but is never both or neither', async () => {
    const { id, net, body } = await addServer()
    const path = `${entriesPath}/${id}`
    await done('PATCH', path, { relay })
    assert.deepEqual(await listed(entriesPath, id), { ...body, id, relay, server: null })
    await done('PATCH', path, { server: serverOf(net, { lease_time: 5 }) })
    assert.deepEqual(await listed(entriesPath, id), { ...body, id, server: serverOf(net, { lease_time: 5 }) })
    assert.deepEqual(fieldsOf(await admin('PATCH', path, { relay, server: serverOf(net) })), ['relay'])
    assert.deepEqual(fieldsOf(await admin('PATCH', path, { server: null })), ['server'])
    const { alias } = await addConnection()
    const neither = { enabled: true, interface: alias, relay: null, server: null }
    assert.deepEqual(fieldsOf(await admin('POST', entriesPath, neither)), ['server'])
  })

  it('has one entry for each local interface', async () => {
    const { alias, body } = await addServer()
    assert.deepEqual(fieldsOf(await admin('POST', entriesPath, body), 409), ['interface'])
    const { id } = await addServer()
    assert.deepEqual(
      fieldsOf(await admin('PATCH', `${entriesPath}/${id}`, { interface: alias, server: null, relay }), 409),
      ['interface'],
    )
    const wan = await addConnection({ type: 'wan' })
    for (const name of [wan.alias, 'interface.id.999', '999'])
      assert.deepEqual(fieldsOf(await admin('POST', entriesPath, { ...body, interface: name })), ['interface'], name)
    for (const name of ['', 'lan0', 'interface.local_any', 'interface.id.0', 'zone.id.1'])
      assert.deepEqual(fieldsOf(await admin('POST', entriesPath, { ...body, interface: name })), ['interface'], name)
    const client = await addConnection({ enable_dhcp: true, addresses: [] })
    assert.deepEqual(fieldsOf(await admin('POST', entriesPath, { ...body, interface: client.alias })), ['interface'])
    await add(entriesPath, { enabled: true, interface: client.alias, relay, server: null })
  })

  it('leases ranges of at most 256 addresses in a subnet of the interface', async () => {
    const { id, net } = await addServer()
    const put = (ranges: readonly string[]) =>
      admin('PATCH', `${entriesPath}/${id}`, { server: serverOf(net, { ranges }) })
    const at = (low: number, high: number) => `10.98.${net}.${low}-10.98.${net}.${high}`
    for (const ranges of [[], [at(1, 254)], [at(5, 5)], [at(10, 20), at(21, 30)]])
      assert.equal((await put(ranges)).status, 200, String(ranges))
    for (const [ranges, field] of [
      [[at(20, 10)], 'server.ranges[0]'],
      [[at(10, 20), at(20, 30)], 'server.ranges[1]'],
      [[at(0, 10)], 'server.ranges[0]'],
      [[at(10, 255)], 'server.ranges[0]'],
      [['10.97.0.1-10.97.0.9'], 'server.ranges[0]'],
      [[`10.98.${net}.200-10.98.${net + 1}.20`], 'server.ranges[0]'],
      [[`10.98.${net}.0/24`], 'server.ranges[0]'],
      [[`10.98.${net}.7`], 'server.ranges[0]'],
    ] as const)
      assert.ok(fieldsOf(await put(ranges)).includes(field), String(ranges))
    const wide = await addConnection({ addresses: ['172.16.0.1/16'] })
    const entry = { enabled: true, interface: wide.alias, relay: null }
    const body = (range: string) => ({ ...entry, server: serverOf(0, { ranges: [range] }) })
    assert.deepEqual(fieldsOf(await admin('POST', entriesPath, body('172.16.1.0-172.16.2.0'))), ['server.ranges[0]'])
    await add(entriesPath, body('172.16.1.0-172.16.1.255'))
  })

  it('names every fault of a server by its field', async () => {
    const { id, net } = await addServer()
    const put = (more: object) => admin('PATCH', `${entriesPath}/${id}`, { server: serverOf(net, more) })
    const option = (text: string) => ({ comment: '', enabled: true, forced: true, option: text })
    for (const [more, field] of [
      [{ dns: ['192.0.2.1', '192.0.2.2', '192.0.2.3'] }, 'server.dns'],
      [{ dns: ['dns.example'] }, 'server.dns[0]'],
      [{ domain: 'a b' }, 'server.domain'],
      [{ gateway: '10.0.0' }, 'server.gateway'],
      [{ lease_time: 0 }, 'server.lease_time'],
      [{ lease_time: 1.5 }, 'server.lease_time'],
      [{ options: [option('3,10.0.0.1'), option('3,x')] }, 'server.options[1].option'],
      [{ options: [option('66,a\nlog-queries')] }, 'server.options[0].option'],
      [{ options: [{ ...option('66,a'), comment: 'x'.repeat(256) }] }, 'server.options[0].comment'],
      [{ routes: [{ destination: '10.0.0.1/8', gateway: '10.0.0.1' }] }, 'server.routes[0].destination'],
      [{ routes: [{ destination: 'host', gateway: '10.0.0.1' }] }, 'server.routes[0].destination'],
      [{ routes: [{ destination: '10.0.0.1', gateway: '' }] }, 'server.routes[0].gateway'],
      [{ routes: Array(28).fill({ destination: '10.0.0.1', gateway: '10.0.0.2' }) }, 'server.routes'],
      [{ tftp_filename: 'é'.repeat(64) }, 'server.tftp_filename'],
      [{ tftp_server: 'tftp.example' }, 'server.tftp_server'],
      [{ tftp_filename: 'a\u0007' }, 'server.tftp_filename'],
      [{ wins: ['x'] }, 'server.wins[0]'],
      [{ wpad_enabled: 'yes' }, 'server.wpad_enabled'],
      [{ more: 1 }, 'server.more'],
    ] as const)
      assert.ok(fieldsOf(await put(more)).includes(field), field)
    for (const external_servers of [[], ['127.0.0.1'], [`10.98.${net}.1`], ['192.0.2.1', '192.0.2.1'], ['x']]) {
      const fields = fieldsOf(await admin('PATCH', `${entriesPath}/${id}`, { relay: { external_servers } }))
      assert.ok(
        fields.some((field) => field.startsWith('relay.external_servers')),
        String(external_servers),
      )
    }
    const whole = {
      dns: [],
      domain: '',
      gateway: `10.98.${net}.2`,
      lease_time: 525_600,
      options: [option('option:mtu,1400')],
      ranges: [],
      routes: [{ destination: '10.0.0.1', gateway: `10.98.${net}.3` }],
      tftp_filename: 'pxe.0',
      tftp_server: '192.0.2.69',
      wins: ['192.0.2.7'],
      wpad_enabled: true,
    }
    await done('PATCH', `${entriesPath}/${id}`, { server: whole })
    assert.deepEqual((await listed(entriesPath, id)).server, whole)
  })

  it('keeps its interface, and the subnet of it while the entry is switched on', async () => {
    const { id, connection, net } = await addServer()
    const path = `/network/connections/${connection}`
    assert.deepEqual(fieldsOf(await admin('DELETE', path), 409), [`dhcp.settings[${id}].interface`])
    const renumbered = { addresses: [`10.96.${net}.1/24`] }
    assert.deepEqual(fieldsOf(await admin('PATCH', path, renumbered)), [`dhcp.settings[${id}].server.ranges[0]`])
    await done('PATCH', `${entriesPath}/${id}`, { enabled: false })
    await done('PATCH', path, renumbered)
    assert.deepEqual(fieldsOf(await admin('PATCH', `${entriesPath}/${id}`, { enabled: true })), ['server.ranges[0]'])
    await done('DELETE', `${entriesPath}/${id}`)
    await done('DELETE', path)
  })

  it('keeps static leases, with MACs in lower case', async () => {
    const first = await add(leasesPath, lease())
    const second = await add(
      leasesPath,
      lease({ ip_address: '192.168.0.41', mac: '50:46:5D:6E:8C:21', comment: 'two' }),
    )
    const items = [
      { ...lease(), id: first },
      { ...lease({ ip_address: '192.168.0.41', mac: '50:46:5d:6e:8c:21', comment: 'two' }), id: second },
    ]
    assert.deepEqual(await shown(leasesPath), items)
    await done('PATCH', `${leasesPath}/${first}`, { mac: 'AA:46:5D:6E:8C:20', comment: 'one' })
    assert.deepEqual(await shown(leasesPath), [{ ...items[0], mac: 'aa:46:5d:6e:8c:20', comment: 'one' }, items[1]])
    await done('DELETE', `${leasesPath}/${first}`)
    assert.deepEqual(await shown(leasesPath), [items[1]])
    assert.equal((await admin('DELETE', `${leasesPath}/${first}`)).status, 404)
    assert.equal((await admin('PATCH', `${leasesPath}/${first}`, {})).status, 404)
    assert.notEqual(await add(leasesPath, lease()), first)
  })

  it('refuses static leases that are no address or MAC', async () => {
    for (const mac of ['50-46-5d-6e-8c-20', '50:46:5d:6e:8c', '50465d6e8c20', '50:46:5d:6e:8c:2g', ''])
      assert.deepEqual(fieldsOf(await admin('POST', leasesPath, lease({ mac }))), ['mac'], mac)
    for (const ip_address of ['', '192.168.0', '192.168.0.40/24', '127.0.0.1', '224.0.0.1', '0.0.0.0'])
      assert.deepEqual(fieldsOf(await admin('POST', leasesPath, lease({ ip_address }))), ['ip_address'], ip_address)
  })

  it('gives an address and a MAC to one enabled static lease only', async () => {
    const taken = { ip_address: '192.168.7.1', mac: '02:00:00:00:07:01' }
    const first = await add(leasesPath, lease(taken))
    const again = await admin('POST', leasesPath, lease({ ...taken, mac: taken.mac.toUpperCase() }))
    assert.deepEqual(fieldsOf(again, 409), ['ip_address', 'mac'])
    const spare = await add(leasesPath, lease({ ...taken, enabled: false }))
    assert.deepEqual(fieldsOf(await admin('PATCH', `${leasesPath}/${spare}`, { enabled: true }), 409), [
      'ip_address',
      'mac',
    ])
    await done('PATCH', `${leasesPath}/${spare}`, { mac: '02:00:00:00:07:02' })
    assert.deepEqual(fieldsOf(await admin('PATCH', `${leasesPath}/${spare}`, { enabled: true }), 409), ['ip_address'])
    await done('PATCH', `${leasesPath}/${first}`, { enabled: false })
    await done('PATCH', `${leasesPath}/${spare}`, { enabled: true })
  })

  it('refuses a static lease of an address of the gateway, while it is enabled', async () => {
    const { net } = await addConnection()
    const own = { ip_address: `10.98.${net}.1`, mac: '02:00:00:00:08:01' }
    assert.deepEqual(fieldsOf(await admin('POST', leasesPath, lease(own))), ['ip_address'])
    const spare = await add(leasesPath, lease({ ...own, enabled: false }))
    assert.deepEqual(fieldsOf(await admin('PATCH', `${leasesPath}/${spare}`, { enabled: true })), ['ip_address'])
    await done('PATCH', `${leasesPath}/${spare}`, { enabled: true, ip_address: `10.98.${net}.2` })
  })

  it('shows no leases, and says of interfaces without a card that they are not served', async () => {
    assert.deepEqual(await shown('/dhcp_server/leases'), [])
    const items = await shown('/dhcp_server/status')
    assert.deepEqual(
      items.map(({ name, status }: { name: string; status: string }) => [name, status]),
      [
        ['dhcp-server', 'failed'],
        ['dhcp-relay', 'failed'],
      ],
    )
    assert.equal(items[0].msg[0], 'Not served: “Net 1” has no device in this machine.')
    for (const { id } of await shown(entriesPath)) await done('PATCH', `${entriesPath}/${id}`, { enabled: false })
    assert.deepEqual((await shown('/dhcp_server/status'))[0].msg, ['The DHCP server is not enabled on any interface.'])
  })

  it('is the same after a restart', async () => {
    const before = [await shown(entriesPath), await shown(leasesPath)]
    assert.ok(before.every((items) => items.length > 1))
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual([await shown(entriesPath), await shown(leasesPath)], before)
  })
})
