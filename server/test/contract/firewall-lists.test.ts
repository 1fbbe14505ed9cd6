// Hardware filtering, access control lists and exceptions: what is stored comes back, limits and references hold, and the
// forms the specification also accepts do the same.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const assertRefused = (answer: Answer, ...fields: string[]): void => {
  assert.equal(answer.status, 422, answer.text)
  assert.deepEqual(
    answer.body.problems.map((problem: { field: string }) => problem.field),
    fields,
  )
}

describe('lists of the firewall', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
  })
  after(() => gateway.close())

  const kinds: [name: string, fields: Record<string, unknown>, other: object][] = [
    ['mac', { mac: '11:22:33:aa:bb:cc', protocol: 2054 }, { protocol: 34525 }],
    ['src_ip', { source_ip: '192.0.2.1' }, { source_ip: '192.0.2.2' }],
    ['dst_ip', { destination_ip: '192.0.2.1' }, { destination_ip: '192.0.2.2' }],
    ['src_dst_ip', { source_ip: '192.0.2.1', destination_ip: '192.0.2.9' }, { source_ip: '192.0.2.2' }],
  ]
  for (const [name, fields, other] of kinds) {
    it(`hw_rules_${name} are made, shown, changed and removed`, async () => {
      const path = `/firewall/hw_rules_${name}`
      assert.deepEqual((await admin('GET', path)).body, [])
      const { body, status } = await admin('POST', path, { ...fields, comment: 'c', enabled: false })
      assert.equal(status, 200)
      assert.match(body.id, uuid)
      const second = (await admin('POST', path, fields)).body.id
      const stored = { id: body.id, ...fields, comment: 'c', enabled: false }
      assert.deepEqual((await admin('GET', path)).body, [stored, { id: second, ...fields, comment: '', enabled: true }])
      assert.equal((await admin('PATCH', `${path}/${body.id}`, other)).status, 200)
      assert.deepEqual((await admin('GET', path)).body[0], { ...stored, ...other })
      assert.equal((await admin('DELETE', `${path}/${body.id}`)).status, 200)
      assert.equal((await admin('DELETE', `${path}/${body.id}`)).status, 404)
      assert.equal((await admin('PATCH', `${path}/${body.id}`, { comment: '' })).status, 404)
      assert.equal((await admin('DELETE', `${path}/${second}`)).status, 200)
    })
  }

  it('hardware rules refuse invalid values, naming the field', async () => {
    for (const mac of ['11:22:33:AA:BB:CC', '11-22-33-aa-bb-cc', '11:22:33:aa:bb', 'zz:22:33:aa:bb:cc'])
      assertRefused(await admin('POST', '/firewall/hw_rules_mac', { mac, protocol: 2054 }), 'mac')
    for (const protocol of [0, 65_536, 2048, 1.5])
      assertRefused(await admin('POST', '/firewall/hw_rules_mac', { mac: '11:22:33:aa:bb:cc', protocol }), 'protocol')
    for (const source_ip of ['192.0.2.0/24', '192.0.2', '192.0.2.256', '192.0.2.01', '::1', ''])
      assertRefused(await admin('POST', '/firewall/hw_rules_src_ip', { source_ip }), 'source_ip')
    assertRefused(await admin('POST', '/firewall/hw_rules_src_dst_ip', { source_ip: '192.0.2.1' }), 'destination_ip')
  })

  it('hardware rules are also changed with the id in the body', async () => {
    for (const [name, field] of [
      ['src_ip', 'source_ip'],
      ['dst_ip', 'destination_ip'],
    ] as const) {
      const path = `/firewall/hw_rules_${name}`
      const { id } = (await admin('POST', path, { [field]: '192.0.2.1' })).body
      assert.equal((await admin('PATCH', path, { id, [field]: '192.0.2.5', comment: 'new' })).status, 200)
      assert.deepEqual((await admin('GET', path)).body, [{ id, [field]: '192.0.2.5', comment: 'new', enabled: true }])
      assert.equal((await admin('PATCH', path, { id: 'nobody', comment: '' })).status, 404)
      assertRefused(await admin('PATCH', path, { comment: '' }), 'id')
      await admin('DELETE', `${path}/${id}`)
    }
  })

  it('a destination rule with a source becomes a pair rule', async () => {
    const pair = { source_ip: '192.0.2.1', destination_ip: '192.0.2.2' }
    const { id } = (await admin('POST', '/firewall/hw_rules_dst_ip', { ...pair, comment: 'p' })).body
    assert.deepEqual((await admin('GET', '/firewall/hw_rules_dst_ip')).body, [])
    assert.deepEqual((await admin('GET', '/firewall/hw_rules_src_dst_ip')).body, [
      { id, ...pair, comment: 'p', enabled: true },
    ])
    await admin('DELETE', `/firewall/hw_rules_src_dst_ip/${id}`)
  })

  it('the mode of hardware filtering is one of four', async () => {
    for (const mode of ['src-ip', 'dst-ip', 'src-and-dst-ip', 'mac']) {
      assert.equal((await admin('PATCH', '/firewall/hw_settings', { mode })).status, 200)
      assert.deepEqual((await admin('GET', '/firewall/hw_settings')).body, { mode })
    }
    assertRefused(await admin('PATCH', '/firewall/hw_settings', { mode: 'none' }), 'mode')
  })

  it('there are at most 2,500 hardware rules of a kind', async () => {
    const { engine } = gateway
    const rules = Array.from({ length: 2_500 }, (_, index) => ({
      id: `${index}`,
      source_ip: `10.0.${index >> 8}.${index & 255}`,
      enabled: true,
      comment: '',
    }))
    const actor = { login: 'system', address: '127.0.0.1' }
    const set = (value: unknown) =>
      engine.change({
        edit: (config) => [{ ...config, 'firewall.hw_src_ip': value }, null],
        actor,
        reason: 'test',
      })
    await set(rules)
    assertRefused(await admin('POST', '/firewall/hw_rules_src_ip', { source_ip: '192.0.2.1' }), 'firewall.hw_src_ip')
    await set([])
  })

  const entry = {
    saddr: '0.0.0.0/0',
    daddr: '192.0.2.1/32',
    proto: 'tcp',
    sport_min: 0,
    sport_max: 65_535,
    dport_min: 80,
    dport_max: 90,
    action: 'deny',
  }
  const ports = { sport_min: 0, sport_max: 0, dport_min: 0, dport_max: 0 }

  it('access control lists are made, shown, changed and removed', async () => {
    const value = [entry, { ...entry, ...ports, proto: 'ip', action: 'allow' }]
    const { id } = (await admin('POST', '/acl/rules', { name: 'first', value })).body
    assert.match(id, uuid)
    assert.deepEqual((await admin('GET', '/acl/rules')).body, [{ id, name: 'first', value }])
    assert.equal((await admin('PATCH', `/acl/rules/${id}`, { name: 'second' })).status, 200)
    assert.equal((await admin('PATCH', `/acl/rules/${id}`, { value: [entry] })).status, 200)
    assert.deepEqual((await admin('GET', '/acl/rules')).body, [{ id, name: 'second', value: [entry] }])
    assert.equal((await admin('DELETE', `/acl/rules/${id}`)).status, 200)
    assert.equal((await admin('DELETE', `/acl/rules/${id}`)).status, 404)
  })

  const faults: [string, object, string][] = [
    ['an address without a prefix', { saddr: '192.0.2.1' }, 'saddr'],
    ['a dotted mask', { daddr: '192.0.2.0/255.255.255.0' }, 'daddr'],
    ['a prefix of 33', { daddr: '192.0.2.0/33' }, 'daddr'],
    ['an unknown protocol', { proto: 'gre' }, 'proto'],
    ['a port too high', { dport_max: 65_536 }, 'dport_max'],
    ['ports that run backwards', { dport_min: 91 }, 'dport_max'],
    ['source ports that run backwards', { sport_min: 2, sport_max: 1 }, 'sport_max'],
    ['ports of ICMP', { ...ports, proto: 'icmp', dport_max: 5 }, 'dport_max'],
    ['an action of rules', { action: 'drop' }, 'action'],
  ]
  for (const [title, fields, field] of faults) {
    it(`an access control list with ${title} is refused at its entry`, async () => {
      const answer = await admin('POST', '/acl/rules', { name: 'x', value: [entry, { ...entry, ...fields }] })
      assertRefused(answer, `value[1].${field}`)
    })
  }

  it('access control lists hold 10,000 entries each and 100,000 together', async () => {
    const value = Array.from({ length: 10_000 }, (_, index) => ({
      ...entry,
      daddr: `10.${index >> 8}.${index & 255}.1/32`,
    }))
    const ids: string[] = []
    for (let count = 0; count < 10; count++) {
      const answer = await admin('POST', '/acl/rules', { name: `${count}`, value })
      assert.equal(answer.status, 200, answer.text)
      ids.push(answer.body.id)
    }
    assertRefused(await admin('POST', '/acl/rules', { name: 'more', value: [entry] }), 'firewall.acl')
    assertRefused(await admin('PATCH', `/acl/rules/${ids[0]}`, { value: [...value, entry] }), 'value')
    for (const id of ids) await admin('DELETE', `/acl/rules/${id}`)
  })

  it('bindings name existing groups, profiles and lists, and a bound list cannot be removed', async () => {
    const { id } = (await admin('POST', '/acl/rules', { name: 'bound', value: [entry] })).body
    assert.deepEqual((await admin('GET', '/acl/acl-order')).body, { acl_ordered_list: [] })
    const acl_ordered_list = [
      { src: ['group.id.1', 'security_group.guid.01234567-89ab-cdef-0123-456789abcdef'], hip: [], acl: id },
      { src: [], hip: ['hip_profile.id.2'], acl: id },
    ]
    assert.equal((await admin('PATCH', '/acl/acl-order', { acl_ordered_list })).status, 200)
    assert.equal((await admin('PATCH', '/acl/acl-order', {})).status, 200, 'nothing sent, nothing changed')
    assert.deepEqual((await admin('GET', '/acl/acl-order')).body, { acl_ordered_list })
    const refused = await admin('DELETE', `/acl/rules/${id}`)
    assert.equal(refused.status, 409)
    assert.deepEqual(
      refused.body.problems.map((problem: { field: string }) => problem.field),
      ['firewall.acl_order.acl_ordered_list[0].acl', 'firewall.acl_order.acl_ordered_list[1].acl'],
    )
    assertRefused(
      await admin('PATCH', '/acl/acl-order', {
        acl_ordered_list: [
          { src: ['user.id.1'], hip: ['group.id.1'], acl: id },
          { src: ['group.id.1'], hip: [], acl: 'nothing' },
        ],
      }),
      'acl_ordered_list[0].src[0]',
      'acl_ordered_list[0].hip[0]',
      'acl_ordered_list[1].acl',
    )
    assert.equal((await admin('PATCH', '/acl/acl-order', { acl_ordered_list: [] })).status, 200)
    assert.equal((await admin('DELETE', `/acl/rules/${id}`)).status, 200)
  })

  it('the state of access control lists is changed field by field', async () => {
    const initial = { enabled: false, default_action: 'allow', logging_enabled: false }
    assert.deepEqual((await admin('GET', '/acl/acl-state')).body, initial)
    assert.equal((await admin('PATCH', '/acl/acl-state', { default_action: 'deny' })).status, 200)
    assert.equal((await admin('PATCH', '/acl/acl-state', { logging_enabled: true })).status, 200)
    const changed = { ...initial, default_action: 'deny', logging_enabled: true }
    assert.deepEqual((await admin('GET', '/acl/acl-state')).body, changed)
    assertRefused(await admin('PATCH', '/acl/acl-state', { default_action: 'drop' }), 'default_action')
    await admin('PATCH', '/acl/acl-state', initial)
  })

  it('exceptions from inspection name objects that are there and keep them', async () => {
    const object = (await admin('POST', '/aliases/ip_addresses', { title: 'x', comment: '', value: '192.0.2.1' })).body
      .id
    const aliases = [object, 'group.id.2', 'group.id.1']
    const { id } = (await admin('POST', '/ips/bypass', { aliases })).body
    assert.deepEqual((await admin('GET', '/ips/bypass')).body, [{ id, aliases, comment: '', enabled: true }])
    assert.equal((await admin('PATCH', `/ips/bypass/${id}`, { comment: 'why', enabled: false })).status, 200)
    assert.deepEqual((await admin('GET', '/ips/bypass')).body, [{ id, aliases, comment: 'why', enabled: false }])
    assertRefused(await admin('POST', '/ips/bypass', { aliases: [] }), 'aliases')
    assertRefused(
      await admin('POST', '/ips/bypass', { aliases: [object, 'ip.id.999', 'iplist.id.276', 'any', 'port.id.1'] }),
      'aliases[1]',
      'aliases[2]',
      'aliases[3]',
      'aliases[4]',
    )
    assert.equal((await admin('DELETE', `/aliases/ip_addresses/${object}`)).status, 409)
    const status = (await admin('GET', '/firewall/status')).body
    assert.ok(!status.some((item: { name: string }) => item.name === 'inspection'))
    assert.equal((await admin('DELETE', `/ips/bypass/${id}`)).status, 200)
    assert.equal((await admin('DELETE', `/aliases/ip_addresses/${object}`)).status, 200)
  })
})
