// The VPN servers over the interface: settings, rules, addresses, routes and the connection script are kept, checked and
// shown; what does not run yet is not said to run.
// Requirement 41.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { users } from '../../src/areas/users/config.ts'
import { leaseRules } from '../../src/areas/vpn/config.ts'
import type { GatewayError } from '../../src/core/contract/error.ts'
import { addItem } from '../../src/core/model/list-edits.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const access = {
  enabled: true,
  title: 'Everybody',
  sources: ['any'],
  objects: ['any'],
  vpns: ['any'],
  action: 'allow',
  two_factor: 'not_required',
  comment: '',
}
const lease = { enabled: true, title: 'One', objects: ['any'], address: '10.128.1.0/24', comment: 'c' }

describe('the VPN servers', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const get = async (path: string) => {
    const answer = await admin('GET', `/vpn_servers/${path}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await admin(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const refused = async (status: number, field: string, method: string, path: string, body: unknown) => {
    const { revision } = gateway.engine
    const answer = await admin(method, `/vpn_servers/${path}`, body)
    assert.equal(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`)
    const fields = answer.body.problems.map((problem: { field: string }) => problem.field)
    assert.ok(fields.includes(field), `${field} is not among ${fields}`)
    assert.equal(gateway.engine.revision, revision)
  }
  const clear = async (list: string) => {
    for (const { id } of await get(list)) await done('DELETE', `/vpn_servers/${list}/${id}`)
  }
  const addUser = async (number: number, domain_type: 'local' | 'ad') => {
    const id = `user.id.${number}`
    const user = {
      id,
      name: id,
      login: `u${number}`,
      parent_id: 'group.id.1',
      enabled: false,
      domain_type,
      domain_name: '',
      ldap_guid: '',
      phone_number: null,
      comment: '',
      password_hash: null,
    }
    await gateway.engine.change({
      edit: (config) => [addItem(config, users, user), null],
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
    return id
  }

  it('begin switched off, with the pool of the specification, and say that nothing is applied', async () => {
    assert.deepEqual(await get('settings'), {
      pptp_enabled: false,
      network: '10.128.0.0/16',
      zone: null,
      dns_suffix: '',
      netflow_index: 0,
      sstp: { enabled: false, domain: null, port: 1443 },
    })
    const status = await get('status')
    assert.equal(status.name, 'gateway-host')
    assert.equal(status.status, 'inactive')
    assert.match(status.msg[0], /not part of this release/)
  })

  it('keep each setting by itself, inside sstp too', async () => {
    const zone = (await done('POST', '/aliases/zones', { title: 'VPN' })).id
    await done('PATCH', '/vpn_servers/settings', { zone, pptp_enabled: true, netflow_index: 65_535 })
    await done('PATCH', '/vpn_servers/settings', { sstp: { domain: 'vpn.example.com' } })
    await done('PATCH', '/vpn_servers/settings', {
      sstp: { port: 3443 },
      network: '10.9.0.0/24',
      dns_suffix: 'x.example',
    })
    const expected = {
      pptp_enabled: true,
      network: '10.9.0.0/24',
      zone,
      dns_suffix: 'x.example',
      netflow_index: 65_535,
      sstp: { enabled: false, domain: 'vpn.example.com', port: 3443 },
    }
    assert.deepEqual(await get('settings'), expected)
    assert.equal((await get('status')).name, 'vpn.example.com')
    const used = await admin('DELETE', `/aliases/zones/${zone}`)
    assert.equal(used.status, 409)
    assert.deepEqual(used.body.problems, [{ field: 'vpn.settings.zone', message: 'VPN settings' }])
    await done('PATCH', '/vpn_servers/settings', { ...expected, zone: null, network: '10.128.0.0/16' })
    await done('DELETE', `/aliases/zones/${zone}`)
  })

  const wrongSettings: readonly (readonly [string, object])[] = [
    ...[
      '10.128.0.0',
      '10.0.0.0/15',
      '10.0.0.0/31',
      '10.128.0.5/16',
      '127.0.0.0/16',
      '224.0.0.0/16',
      '0.0.0.0/16',
      '',
    ].map((network) => ['network', { network }] as const),
    ...['10.0.0.1', 'localhost', 'a_b.example', 'gw.local', 'GW.Local', "x'.example", ''].map(
      (domain) => ['sstp.domain', { sstp: { domain } }] as const,
    ),
    ...[443, 0, '1443'].map((port) => ['sstp.port', { sstp: { port } }] as const),
    ['zone', { zone: 'zone.id.999' }],
    ['zone', { zone: 'ip.id.1' }],
    ['dns_suffix', { dns_suffix: 'a b' }],
    ...["a';calc", 'a\u2019;calc', '\u201ca\u201d', '$(calc)', '`a', 'a\nb', 'a\r\n}'].flatMap((text) => [
      ['dns_suffix', { dns_suffix: text }] as const,
      ['sstp.domain', { sstp: { domain: `${text}.example` } }] as const,
    ]),
    ['netflow_index', { netflow_index: 65_536 }],
  ]
  for (const [field, body] of wrongSettings) {
    it(`refuse the settings ${JSON.stringify(body)}`, () => refused(422, field, 'PATCH', 'settings', body))
  }

  it('give a script only when SSTP is on and has a domain', async () => {
    await done('PATCH', '/vpn_servers/settings', { sstp: { enabled: true, domain: null, port: 2443 }, dns_suffix: '' })
    assert.deepEqual(await get('powershell/status'), { sstp_available: false })
    assert.ok((await get('status')).msg.some((text: string) => text.includes('without a domain')))
    assert.equal((await admin('GET', '/vpn_servers/powershell/sstp')).status, 409)
    await done('PATCH', '/vpn_servers/settings', { sstp: { domain: 'vpn.example.com' }, dns_suffix: 'office.example' })
    assert.deepEqual(await get('powershell/status'), { sstp_available: true })
    const { status, headers, text } = await admin('GET', '/vpn_servers/powershell/sstp')
    assert.equal(status, 200)
    assert.equal(headers['content-disposition'], 'attachment; filename="vpn.example.com_VPN_SSTP.ps1"')
    assert.match(text, /ServerAddress {8}= 'vpn\.example\.com:2443'\r\n/)
    assert.match(text, /DnsSuffix {12}= 'office\.example'\r\n/)
    await done('PATCH', '/vpn_servers/settings', { sstp: { enabled: false } })
    assert.equal((await admin('GET', '/vpn_servers/powershell/sstp')).status, 409)
  })

  it('keep access rules in the order they are given', async () => {
    const add = async (title: string, query = '') =>
      (await done('POST', `/vpn_servers/access_rules${query}`, { ...access, title })).id as number
    const titles = async () => (await get('access_rules')).map((rule: { title: string }) => rule.title).join('')
    const a = await add('a')
    const b = await add('b')
    await add('c', `?anchor_item_id=${a}`)
    await add('d', `?anchor_item_id=${a}&insert_after=false`)
    assert.equal(await titles(), 'dacb')
    const step = (id: number, direction: string) =>
      done('PATCH', `/vpn_servers/access_rules/${id}/position`, { direction })
    await step(b, 'up')
    assert.equal(await titles(), 'dabc')
    await step(a, 'down')
    assert.equal(await titles(), 'dbac')
    const { revision } = gateway.engine
    for (let times = 0; times < 3; times++) await step(b, 'up')
    assert.equal(await titles(), 'bdac')
    assert.equal(gateway.engine.revision, revision + 1, 'a step at the edge changes nothing')
    await done('PATCH', '/vpn_servers/access_rules/move', { params: { id: b, anchor_item_id: a } })
    assert.equal(await titles(), 'dabc')
    await refused(422, 'anchor_item_id', 'POST', 'access_rules?anchor_item_id=999', access)
    await refused(422, 'direction', 'PATCH', `access_rules/${a}/position`, { direction: 'left' })
    await clear('access_rules')
    assert.ok((await add('e')) > b + 2, 'an id came back')
    await clear('access_rules')
  })

  it('show a rule as it was sent, with what may be left out filled in', async () => {
    const ip = (await done('POST', '/aliases/ip_addresses', { title: 'x', value: '192.0.2.1' })).id
    const user = await addUser(71, 'local')
    const group = 'security_group.guid.0a1b2c3d-0000-1111-2222-333344445555'
    const body = {
      sources: [ip],
      objects: [user, 'group.id.1', group],
      vpns: ['sstp', 'agent-vpn-ng'],
      action: 'allow',
      two_factor: 'smsaero',
    }
    const { id } = await done('POST', '/vpn_servers/access_rules', body)
    const expected = { ...body, id, enabled: true, title: '', comment: '', two_factor: 'smssvc' }
    assert.deepEqual(await get('access_rules'), [expected])
    await done('PATCH', `/vpn_servers/access_rules/${id}`, { title: 'T', vpns: ['pptp'] })
    assert.deepEqual(await get('access_rules'), [{ ...expected, title: 'T', vpns: ['pptp'] }])
    assert.equal((await admin('DELETE', `/aliases/ip_addresses/${ip}`)).status, 409)
    for (const [method, path, sent] of [
      ['PATCH', `access_rules/999`, { title: 'x' }],
      ['DELETE', 'access_rules/999', undefined],
      ['PATCH', 'access_rules/999/position', { direction: 'up' }],
      ['PATCH', 'lease_rules/999', { title: 'x' }],
      ['DELETE', 'lease_rules/999', undefined],
    ] as const) {
      assert.equal((await admin(method, `/vpn_servers/${path}`, sent)).status, 404, path)
    }
    await clear('access_rules')
    await done('DELETE', `/aliases/ip_addresses/${ip}`)
  })

  const wrongAccess: readonly (readonly [string, object])[] = [
    ['sources', { sources: [] }],
    ['sources', { sources: ['any', 'any'] }],
    ['sources[0]', { sources: ['ip.id.999'] }],
    ['sources[0]', { sources: ['address_list.id.1'] }],
    ['objects', { objects: ['any', 'group.id.1'] }],
    ['objects[1]', { objects: ['group.id.1', 'user.id.999'] }],
    ['objects[0]', { objects: ['ip.id.1'] }],
    ['vpns', { vpns: [] }],
    ['vpns', { vpns: ['any', 'pptp'] }],
    ['vpns[0]', { vpns: ['openvpn'] }],
    ['action', { action: '' }],
    ['two_factor', { two_factor: '' }],
    ['two_factor', { action: 'deny', two_factor: 'totp' }],
    ['title', { title: 'x'.repeat(43) }],
    ['comment', { comment: 'x'.repeat(256) }],
    ['id', { id: 3 }],
  ]
  for (const [field, part] of wrongAccess) {
    it(`refuse the access rule ${JSON.stringify(part).slice(0, 60)}`, () =>
      refused(422, field, 'POST', 'access_rules', { ...access, ...part }))
  }

  it('refuse a change that leaves a denying rule with a second factor', async () => {
    const { id } = await done('POST', '/vpn_servers/access_rules', { ...access, two_factor: 'totp' })
    await refused(422, 'two_factor', 'PATCH', `access_rules/${id}`, { action: 'deny' })
    await done('PATCH', `/vpn_servers/access_rules/${id}`, { action: 'deny', two_factor: 'not_required' })
    await clear('access_rules')
  })

  it('tell which kinds of VPN and which factors the rules use', async () => {
    const none = { pptp: false, l2tp: false, sstp: false, ikev2: false, 'agent-vpn-ng': false }
    const noFactors = { smssvc: false, totp: false, multifactor: false, smsaero: false }
    assert.deepEqual(await get('vpns_in_access_rules'), none)
    assert.deepEqual(await get('two_factor_in_access_rules'), noFactors)
    await done('POST', '/vpn_servers/access_rules', { ...access, vpns: ['sstp'], two_factor: 'smssvc' })
    assert.deepEqual(await get('vpns_in_access_rules'), { ...none, sstp: true })
    assert.deepEqual(await get('two_factor_in_access_rules'), { ...noFactors, smssvc: true, smsaero: true })
    await done('POST', '/vpn_servers/access_rules', access)
    assert.ok(Object.values(await get('vpns_in_access_rules')).every(Boolean))
    await clear('access_rules')
  })

  it('list the rules of one user, by name, by group and for everyone', async () => {
    const local = await addUser(81, 'local')
    await addUser(82, 'ad')
    const ids: number[] = []
    for (const objects of [[local], ['group.id.1'], ['any'], ['group.id.2']]) {
      ids.push((await done('POST', '/vpn_servers/access_rules', { ...access, objects })).id)
    }
    const idsOf = async (user: string) => (await get(`user_access_rules/${user}`)).map(({ id }: { id: number }) => id)
    assert.deepEqual(await idsOf('81'), ids.slice(0, 3))
    assert.deepEqual(await idsOf(local), ids.slice(0, 3))
    assert.deepEqual(await idsOf('82'), [], 'groups of a directory cannot be asked for')
    assert.deepEqual(await idsOf('999'), [])
    await clear('access_rules')
  })

  it('keep address rules, each with different addresses', async () => {
    const { id } = await done('POST', '/vpn_servers/lease_rules', lease)
    const { objects, address } = lease
    const second = await done('POST', '/vpn_servers/lease_rules?insert_after=false&anchor_item_id=1', {
      objects,
      address: '10.128.9.9',
    })
    assert.deepEqual(await get('lease_rules'), [
      { id: second.id, enabled: true, title: '', objects, address: '10.128.9.9', comment: '' },
      { ...lease, id },
    ])
    for (const same of [address, '10.128.1.0/255.255.255.0', '10.128.9.9/32']) {
      await refused(409, 'address', 'POST', 'lease_rules', { ...lease, address: same })
    }
    await refused(409, 'address', 'PATCH', `lease_rules/${second.id}`, { address })
    await done('PATCH', `/vpn_servers/lease_rules/${id}`, { address, title: 'again' })
    await done('PATCH', `/vpn_servers/lease_rules/${id}/position`, { direction: 'up' })
    assert.deepEqual((await get('lease_rules'))[0], { ...lease, id, title: 'again' })
  })

  for (const address of [
    '',
    '10.128.1',
    '10.129.0.0/24',
    '10.128.1.1/24',
    '10.128.0.1',
    '10.128.0.0',
    '10.0.0.0/8',
    '::1',
  ]) {
    it(`refuse an address rule for ${address || 'nothing'}`, () =>
      refused(422, 'address', 'POST', 'lease_rules', { ...lease, address }))
  }

  it('tell of address rules that another network leaves outside, and let them be changed', async () => {
    await done('PATCH', '/vpn_servers/settings', { network: '10.200.0.0/16' })
    const [rule] = await get('lease_rules')
    const warnings = async () => (await get('status')).msg.filter((text: string) => text.includes('is outside'))
    assert.equal((await warnings()).length, 2)
    await done('PATCH', `/vpn_servers/lease_rules/${rule.id}`, { enabled: false })
    assert.equal((await warnings()).length, 1)
    await done('PATCH', '/vpn_servers/settings', { network: '10.128.0.0/16' })
  })

  it('replace the routes pushed to clients as a whole', async () => {
    assert.deepEqual(await get('dhcp'), { mode: 'utm', networks: [], excluded_networks: [] })
    const subnet = (await done('POST', '/aliases/networks', { title: 'n', value: '10.1.0.0/16' })).id
    const routes = { mode: 'custom', networks: [subnet], excluded_networks: [] }
    await done('PUT', '/vpn_servers/dhcp', routes)
    assert.deepEqual(await get('dhcp'), routes)
    assert.equal((await admin('DELETE', `/aliases/networks/${subnet}`)).status, 409)
    await refused(422, 'networks', 'PUT', 'dhcp', { mode: 'all', excluded_networks: [] })
    await refused(422, 'mode', 'PUT', 'dhcp', { ...routes, mode: 'some' })
    await refused(422, 'networks[1]', 'PUT', 'dhcp', { ...routes, networks: [subnet, 'subnet.id.999'] })
    await refused(422, 'excluded_networks[0]', 'PUT', 'dhcp', { ...routes, excluded_networks: ['ip_range.id.1'] })
  })

  it('hold the same over the whole configuration, whatever way it came about', async () => {
    const [first] = await get('lease_rules')
    await assert.rejects(
      gateway.engine.change({
        edit: (config) => [addItem(config, leaseRules, { ...first, id: 777 }), null],
        actor: { login: 'system', address: '127.0.0.1' },
        reason: 'test',
      }),
      ({ problems }: GatewayError) => problems.some(({ field }) => field.endsWith(`lease_rules[777].address`)),
    )
  })

  it('keep everything across a restart', async () => {
    await done('POST', '/vpn_servers/access_rules', access)
    const paths = ['settings', 'access_rules', 'lease_rules', 'dhcp']
    const kept = await Promise.all(paths.map(get))
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await Promise.all(paths.map(get)), kept)
  })
})
