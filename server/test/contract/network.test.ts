// The network endpoints over the whole service: every kind of interface, what is refused and how it is named, secrets, and
// what stays while it is in use.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { connections } from '../../src/areas/network/config.ts'
import { isSealed } from '../../src/core/model/secret.ts'
import { read } from '../../src/core/model/slots.ts'
import type { NetworkLinks } from '../../src/core/plan/artifacts.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const mac = (last: number): string => `02:00:00:00:01:${last.toString(16).padStart(2, '0')}`

let nextCard = 0
/** On a separate card and in a separate network, so that tests do not affect each other. */
function ethernet(more: object = {}): Record<string, unknown> {
  nextCard += 1
  return {
    type: 'lan',
    title: `Net ${nextCard}`,
    enabled: true,
    mac: mac(nextCard),
    enable_dhcp: false,
    addresses: [`10.${nextCard}.0.1/24`],
    gateway: null,
    dns: [],
    vlan_tag: null,
    zone: null,
    is_vce_vlan: false,
    netflow_index: 0,
    ...more,
  }
}
const provider = (type: string) => ({
  ...ethernet({ type, server: 'vpn.example', login: 'me', password: 'secret' }),
  gateway: `10.${nextCard}.0.9`,
})
const pppoe = () => {
  const { title, mac: card } = ethernet()
  return {
    type: 'pppoe',
    title,
    enabled: true,
    mac: card,
    login: 'me',
    password: 'secret',
    service: '',
    concentrator: '',
  }
}
const loopback = () => {
  nextCard += 1
  return {
    type: 'loopback',
    title: 'Router',
    enabled: true,
    addresses: [`10.${nextCard}.0.1/32`],
    comment: 'for routes',
  }
}

describe('network interfaces', () => {
  let gateway: TestGateway
  let admin: Client
  let reader: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    reader = await gateway.client('predefined_admin_readonly')
  })
  after(() => gateway.close())

  const add = async (path: string, body: unknown) => {
    const answer = await admin('POST', path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const listed = async (path: string, id: unknown, client = admin) =>
    (await client('GET', path)).body.find((item: { id: unknown }) => item.id === id)
  const fieldsOf = (answer: Answer): string[] => {
    assert.equal(answer.status, 422, answer.text)
    return answer.body.problems.map((problem: { field: string }) => problem.field)
  }
  const conflictsOf = (answer: Answer): string[] => {
    assert.equal(answer.status, 409, answer.text)
    return answer.body.problems.map((problem: { field: string }) => problem.field)
  }

  for (const [type, make] of [
    ['lan', () => ethernet()],
    ['wan', () => ethernet({ type: 'wan' })],
    ['pptp', () => provider('pptp')],
    ['l2tp', () => provider('l2tp')],
    ['pppoe', () => ({ ...pppoe(), vlan_tag: 7, zone: null, is_vce_vlan: false, netflow_index: 3 })],
  ] as const)
    it(`of the type ${type} are shown as they were sent`, async () => {
      const body = make()
      const id = await add('/network/connections', body)
      assert.deepEqual(await listed('/network/connections', id), { ...body, id })
    })

  it('of the type loopback get a generated name', async () => {
    const body = loopback()
    const id = await add('/network/connections', body)
    assert.deepEqual(await listed('/network/connections', id), {
      ...body,
      id,
      osdevname: `Oloopback${id}`,
      mac: null,
      vlan_tag: null,
      zone: null,
      is_vce_vlan: false,
      netflow_index: 0,
    })
  })

  it('may leave out what has an obvious value', async () => {
    const { type, title, enabled, mac: card, enable_dhcp, addresses } = ethernet()
    const id = await add('/network/connections', { type, title, enabled, mac: card, enable_dhcp, addresses })
    const { gateway: via, dns, vlan_tag, zone, netflow_index } = await listed('/network/connections', id)
    assert.deepEqual([via, dns, vlan_tag, zone, netflow_index], [null, [], null, null, 0])
  })

  it('have the fields of their type and no others', async () => {
    const refused = async (body: object) => fieldsOf(await admin('POST', '/network/connections', body))
    const { mac: _mac, addresses: _addresses, ...bare } = ethernet()
    assert.deepEqual(await refused(bare), ['mac', 'addresses'])
    assert.deepEqual(await refused(ethernet({ server: 'a.example', login: 'me' })), ['server', 'login'])
    assert.deepEqual(await refused({ ...pppoe(), addresses: ['10.0.0.1/24'] }), ['addresses'])
    assert.deepEqual(await refused({ ...loopback(), mac: mac(1), vlan_tag: 5, is_vce_vlan: true }), [
      'mac',
      'vlan_tag',
      'is_vce_vlan',
    ])
    assert.deepEqual(await refused(ethernet({ mac: null })), ['mac'])
    assert.deepEqual(await refused({ ...pppoe(), title: 'x'.repeat(43) }), ['title'])
    assert.deepEqual(await refused({ ...loopback(), osdevname: 'Oloopback1' }), ['osdevname'])
    assert.deepEqual(await refused(ethernet({ type: 'wifi' })), ['type'])
  })

  it('take nothing but values of the right form', async () => {
    for (const [field, value] of [
      ['mac', '02:00:00:00:00:AA'],
      ['mac', 'eth0'],
      ['vlan_tag', 0],
      ['vlan_tag', 4096],
      ['netflow_index', 65_536],
      ['zone', 'zone.id.x'],
      ['gateway', '10.0.0.1/24'],
      ['title', ''],
      ['title', 'a\nb'],
      ['dns', ['10.0.0.1', '10.0.0.2', '10.0.0.3']],
    ] as const)
      assert.deepEqual(fieldsOf(await admin('POST', '/network/connections', ethernet({ [field]: value }))), [field])
    for (const address of [
      '10.0.0.1',
      '10.0.0.1/0',
      '10.0.0.1/33',
      '010.0.0.1/24',
      '10.0.0.1/24;',
      '::1/64',
      '10.0.0.1/24\n',
    ])
      assert.deepEqual(fieldsOf(await admin('POST', '/network/connections', ethernet({ addresses: [address] }))), [
        'addresses[0]',
      ])
    for (const server of [
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '127.1',
      'localhost',
      'a b',
      'a;b',
      '-a',
      'ex_ample',
      '[::1]',
      'a..b',
    ])
      assert.deepEqual(
        fieldsOf(await admin('POST', '/network/connections', { ...provider('pptp'), server })),
        ['server'],
        server,
      )
  })

  it('share a card by VLAN tags only', async () => {
    const card = ethernet()
    await add('/network/connections', card)
    assert.deepEqual(conflictsOf(await admin('POST', '/network/connections', ethernet({ mac: card.mac }))), ['mac'])
    await add('/network/connections', ethernet({ mac: card.mac, vlan_tag: 5 }))
    assert.deepEqual(
      conflictsOf(await admin('POST', '/network/connections', ethernet({ mac: card.mac, vlan_tag: 5 }))),
      ['vlan_tag'],
    )
    await add('/network/connections', ethernet({ mac: card.mac, vlan_tag: 4095 }))
  })

  it('change in part, keep their type and never give a number twice', async () => {
    const body = ethernet()
    const id = await add('/network/connections', body)
    assert.equal((await admin('PATCH', `/network/connections/${id}`, { title: 'Renamed', type: 'lan' })).status, 200)
    assert.deepEqual(await listed('/network/connections', id), { ...body, id, title: 'Renamed' })
    assert.deepEqual(fieldsOf(await admin('PATCH', `/network/connections/${id}`, { type: 'wan' })), ['type'])
    assert.deepEqual(fieldsOf(await admin('PATCH', `/network/connections/${id}`, { login: 'me' })), ['login'])
    assert.deepEqual(fieldsOf(await admin('PATCH', `/network/connections/${id}`, { addresses: [] })), ['addresses'])
    assert.equal((await admin('DELETE', `/network/connections/${id}`)).status, 200)
    assert.equal((await admin('PATCH', `/network/connections/${id}`, { title: 'x' })).status, 404)
    assert.equal((await admin('DELETE', '/network/connections/999')).status, 404)
    assert.ok((await add('/network/connections', ethernet())) > id)
  })

  it('have addresses that no other has, and networks apart', async () => {
    const first = ethernet({ addresses: ['10.200.1.1/24'] })
    await add('/network/connections', first)
    const second = ethernet({ addresses: ['10.200.2.1/24', '10.200.1.1/24'] })
    assert.deepEqual(conflictsOf(await admin('POST', '/network/connections', second)), ['addresses[1]'])
    const id = await add('/network/connections', { ...second, addresses: ['10.200.2.1/24'] })
    const overlap = await admin('PATCH', `/network/connections/${id}`, { addresses: ['10.200.1.9/25'] })
    assert.deepEqual(conflictsOf(overlap), ['addresses[0]'])
    const twice = await admin('PATCH', `/network/connections/${id}`, { addresses: ['10.200.3.1/24', '10.200.3.1/25'] })
    assert.deepEqual(fieldsOf(twice), ['addresses[1]'])
  })

  for (const [type, make] of [
    ['lan', () => ethernet()],
    ['pptp', () => provider('pptp')],
    ['pppoe', pppoe],
    ['loopback', loopback],
  ] as const)
    it(`of the type ${type} take back the whole object that was read, id and all`, async () => {
      const id = await add('/network/connections', make())
      const url = `/network/connections/${id}`
      for (const client of [admin, reader]) {
        const before = await listed('/network/connections', id)
        const sent = { ...(await listed('/network/connections', id, client)), title: 'Sent back' }
        assert.equal((await admin('PATCH', url, sent)).status, 200)
        assert.deepEqual(await listed('/network/connections', id), { ...before, title: 'Sent back' })
      }
      assert.deepEqual(fieldsOf(await admin('PATCH', url, { id: id + 1 })), ['id'])
      assert.deepEqual(fieldsOf(await admin('PATCH', url, { osdevname: 'Oloopback0' })), ['osdevname'])
    })

  it('keep provider passwords sealed, for full administrators only and with a record of each look', async () => {
    const id = await add('/network/connections', { ...provider('l2tp'), password: 'over the hills' })
    assert.equal((await listed('/network/connections', id)).password, 'over the hills')
    assert.equal((await listed('/network/connections', id, reader)).password, '***')
    const stored = () => read(gateway.engine.config, connections).find((one) => one.id === id)
    const { password } = stored() as { password: unknown }
    assert.ok(isSealed(password))
    assert.equal((await admin('PATCH', `/network/connections/${id}`, { password: '***', title: 'Same' })).status, 200)
    assert.equal((await listed('/network/connections', id)).password, 'over the hills')
    assert.equal((await admin('PATCH', `/network/connections/${id}`, { password: null })).status, 200)
    assert.equal((await listed('/network/connections', id)).password, 'over the hills')
    assert.equal((await admin('PATCH', `/network/connections/${id}`, { password: 'far away' })).status, 200)
    assert.equal((await listed('/network/connections', id)).password, 'far away')
    assert.deepEqual(fieldsOf(await admin('POST', '/network/connections', { ...provider('pptp'), password: '***' })), [
      'password',
    ])
    gateway.services.audit.flush()
    const records = await admin('GET', '/journal/records')
    assert.ok(records.text.includes('Passwords of connections were shown.'))
    for (const secret of ['over the hills', 'far away']) {
      assert.ok(!records.text.includes(secret))
      assert.ok(!(await admin('GET', '/config/revisions')).text.includes(secret))
    }
  })

  it('in a zone need one that exists, and hold it', async () => {
    assert.deepEqual(fieldsOf(await admin('POST', '/network/connections', ethernet({ zone: 'zone.id.77' }))), ['zone'])
    const zone = await add('/aliases/zones', { title: 'Guests', comment: '' })
    const id = await add('/network/connections', ethernet({ zone }))
    assert.equal((await admin('DELETE', `/aliases/zones/${zone}`)).status, 409)
    assert.equal((await admin('PATCH', `/network/connections/${id}`, { zone: null })).status, 200)
    assert.equal((await admin('DELETE', `/aliases/zones/${zone}`)).status, 200)
  })

  it('that are aggregated carry connections and stay while they do', async () => {
    const body = { enabled: true, title: 'Pair', comment: '', nics: [mac(200), mac(201)] }
    const id = await add('/network/aggregated', body)
    assert.deepEqual(await listed('/network/aggregated', id), { ...body, id })
    const connection = await add('/network/connections', ethernet({ mac: id }))
    assert.deepEqual(conflictsOf(await admin('POST', '/network/connections', ethernet({ mac: mac(200) }))), ['mac'])
    assert.deepEqual(conflictsOf(await admin('POST', '/network/aggregated', body)), ['nics[0]', 'nics[1]'])
    const refusal = await admin('DELETE', `/network/aggregated/${id}`)
    assert.equal(refusal.status, 409)
    assert.deepEqual(refusal.body.problems[0].field, `network.connections[${connection}].mac`)
    assert.deepEqual(fieldsOf(await admin('PUT', `/network/aggregated/${id}`, { title: 'x' })), [
      'enabled',
      'comment',
      'nics',
    ])
    assert.equal((await admin('PUT', `/network/aggregated/${id}`, { ...body, nics: [] })).status, 200)
    assert.deepEqual((await admin('GET', '/network/aggregated_states')).body, [{ id, link: 'down' }])
    assert.equal((await admin('DELETE', `/network/connections/${connection}`)).status, 200)
    assert.equal((await admin('DELETE', `/network/aggregated/${id}`)).status, 200)
  })

  it('of tunnels need a parent, with one tunnel for each server', async () => {
    const parent = await add('/network/connections', ethernet({ type: 'wan' }))
    const body = {
      title: 'Branch',
      enabled: true,
      comment: '',
      addresses: ['10.250.0.1/30'],
      gateway: '10.250.0.2',
      parent_interface: `interface.id.${parent}`,
      server: '198.51.100.7',
      zone: null,
      netflow_index: 0,
    }
    const id = await add('/network/tunnels', { ...body, osdevname: 'mine' })
    const shown = await listed('/network/tunnels', id)
    assert.match(shown.osdevname, /^Gre[0-9]{8}$/)
    assert.deepEqual(shown, { ...body, id, osdevname: shown.osdevname, local_ip: null })
    assert.deepEqual(conflictsOf(await admin('POST', '/network/tunnels', { ...body, addresses: [], gateway: null })), [
      'server',
    ])
    const second = await add('/network/tunnels', { ...body, server: 'branch.example', addresses: [], gateway: null })
    assert.notEqual((await listed('/network/tunnels', second)).osdevname, shown.osdevname)
    assert.deepEqual(
      fieldsOf(await admin('PUT', `/network/tunnels/${second}`, { ...body, parent_interface: 'zone.id.1' })).includes(
        'parent_interface',
      ),
      true,
    )
    assert.equal((await admin('PUT', `/network/tunnels/${id}`, { ...body, title: 'Renamed' })).status, 200)
    assert.equal((await listed('/network/tunnels', id)).osdevname, shown.osdevname)
    assert.deepEqual((await admin('GET', '/network/tunnel_states')).body[0].link, 'inactive')
    const refusal = await admin('DELETE', `/network/connections/${parent}`)
    assert.equal(refusal.status, 409)
    assert.match(refusal.body.message, /GRE tunnel “Renamed”/)
    for (const one of [id, second]) assert.equal((await admin('DELETE', `/network/tunnels/${one}`)).status, 200)
    assert.equal((await admin('DELETE', `/network/connections/${parent}`)).status, 200)
  })

  it('passed into virtual environments change in name only', async () => {
    const body = { title: 'Guest', vce_id: 'vce-1', mac: mac(210), vlan_tag: null, comment: '' }
    const id = await add('/network/vce_conns', body)
    assert.deepEqual(fieldsOf(await admin('PATCH', `/network/vce_conns/${id}`, { mac: mac(211) })), ['mac'])
    assert.equal((await admin('PATCH', `/network/vce_conns/${id}`, { comment: 'x' })).status, 200)
    assert.deepEqual(await listed('/network/vce_conns', id), { ...body, id, comment: 'x' })
    assert.deepEqual(conflictsOf(await admin('POST', '/network/connections', ethernet({ mac: mac(210) }))), ['mac'])
    assert.equal((await admin('DELETE', `/network/vce_conns/${id}`)).status, 200)
  })

  it('that mirror others need a free card', async () => {
    const source = await add('/network/connections', ethernet())
    const body = {
      title: 'Mirror',
      comment: '',
      enabled: true,
      mac: mac(220),
      direction: 'rx',
      monitor_interfaces: [`interface.id.${source}`, 'interface.vpn_traffic'],
    }
    const id = await add('/network/span', body)
    const shown = await listed('/network/span', id)
    assert.ok(Number.isInteger(shown.osdevindex))
    assert.deepEqual(shown, { ...body, id, osdevindex: shown.osdevindex })
    assert.deepEqual(fieldsOf(await admin('PATCH', `/network/span/${id}`, { osdevindex: 7 })), ['osdevindex'])
    assert.deepEqual(conflictsOf(await admin('PATCH', `/network/span/${id}`, { mac: mac(nextCard) })), ['mac'])
    assert.equal((await admin('PATCH', `/network/span/${id}`, { direction: 'both' })).status, 200)
    assert.equal((await admin('DELETE', `/network/connections/${source}`)).status, 409)
    assert.equal((await admin('DELETE', `/network/span/${id}`)).status, 200)
  })

  it('reach applyd as links, found by MAC, and their states come back', async () => {
    const body = ethernet({ mac: '02:00:00:00:00:01', addresses: ['10.10.0.1/24'] })
    const id = await add('/network/connections', body)
    const links = gateway.applier.applied?.artifacts.find((one): one is NetworkLinks => one.kind === 'network')?.links
    const link = links?.find(({ device }) => device === 'lan0')
    assert.deepEqual(
      [link?.origin, link?.isUp, link?.addresses],
      [`network.connections[${id}]`, true, ['10.10.0.1/24']],
    )
    const state = await listed('/network/states', id)
    assert.equal(state.ether.status, 'up')
    assert.equal(state.summary.ifindex, 2)
  })

  it('are seen by all who may view and changed by none of them', async () => {
    const firewall = await gateway.client('predefined_firewall_admin')
    for (const path of [
      'connections',
      'states',
      'aggregated',
      'aggregated_states',
      'tunnels',
      'tunnel_states',
      'vce_conns',
      'span',
    ])
      assert.equal((await firewall('GET', `/network/${path}`)).status, 200, path)
    assert.equal((await firewall('POST', '/network/connections', ethernet())).status, 403)
    assert.equal((await reader('DELETE', '/network/connections/1')).status, 403)
  })

  it('keeps a port open from outside in the revision of the first set-up, and refuses what is not a port', async () => {
    const [outside, inside] = [ethernet(), ethernet()]
    const body = {
      outside: { mac: outside.mac, enable_dhcp: true, addresses: [], gateway: null, dns: [] },
      inside: { mac: inside.mac, addresses: inside.addresses },
    }
    const rules = async (): Promise<{ comment: string; destination_ports: string[] }[]> =>
      (await admin('GET', '/firewall/rules/input')).body
    for (const port of [0, 65_536, -22, 22.5, '22', true, [22]]) {
      const answer = await admin('PUT', '/network/setup', { ...body, keep_ssh_port: port })
      assert.equal(answer.status, 422, answer.text)
      assert.deepEqual(fieldsOf(answer), ['keep_ssh_port'])
    }
    for (const edge of [1, 65_535])
      assert.equal((await admin('PUT', '/network/setup?dry_run=true', { ...body, keep_ssh_port: edge })).status, 200)
    for (const none of [{}, { keep_ssh_port: null }])
      assert.equal((await admin('PUT', '/network/setup', { ...body, ...none })).status, 200)
    assert.deepEqual(await rules(), [])
    const before = gateway.engine.revision
    const changed = { ...body, inside: { ...body.inside, addresses: ethernet().addresses }, keep_ssh_port: 2222 }
    assert.equal((await admin('PUT', '/network/setup', changed)).status, 200)
    assert.equal(gateway.engine.revision, before + 1)
    const [rule, ...others] = await rules()
    assert.deepEqual(others, [])
    assert.match(rule?.comment ?? '', /because an administrator was connected through this port/)
    const port = await listed('/aliases/ports', rule?.destination_ports[0])
    assert.equal(port?.value, 2222)
    assert.equal((await reader('PUT', '/network/setup', changed)).status, 403)
  })
})
