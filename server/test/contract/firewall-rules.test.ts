// Rules of the five tables: what is stored comes back, and what does not hold is named by its field.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { least, path, type Table, tables } from '../support/firewall-samples.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const root = 'f3ffde22-a562-4f43-ac04-c40fcec6a88c'
const uuid = '3f2b8c1e-0000-4000-8000-000000000001'

describe('firewall rules', () => {
  let gateway: TestGateway
  let admin: Client
  const objects: Record<string, string> = {}
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
    const made: [name: string, path: string, fields: object][] = [
      ['ip', 'ip_addresses', { value: '192.0.2.1' }],
      ['range', 'ip_ranges', { start: '192.0.2.1', end: '192.0.2.9' }],
      ['network', 'networks', { value: '192.0.2.0/24' }],
      ['port', 'ports', { value: 443 }],
      ['portRange', 'port_ranges', { start: 8000, end: 8010 }],
      ['time', 'time_ranges', { weekdays: [1, 2], start: '09:00', end: '18:00', period: null }],
      ['zone', 'zones', {}],
    ]
    for (const [name, kind, fields] of made) {
      const answer = await admin('POST', `/aliases/${kind}`, { title: name, comment: '', ...fields })
      assert.equal(answer.status, 200, answer.text)
      objects[name] = answer.body.id
    }
  })
  after(() => gateway.close())

  /** Without the blocks of newer clients, which say the same. */
  const list = async (table: Table): Promise<{ id: number; [field: string]: unknown }[]> => {
    const rules = (await admin('GET', path(table))).body as { id: number; [field: string]: unknown }[]
    return rules.map(({ sources, destinations, ...rule }) => {
      const block = (side: string) => [
        { addresses: rule[`${side}_addresses`], addresses_negate: rule[`${side}_addresses_negate`] },
      ]
      assert.deepEqual([sources, destinations], [block('source'), block('destination')])
      return rule
    })
  }
  const add = async (table: Table, fields: object = {}, query = ''): Promise<number> => {
    const answer = await admin('POST', path(table) + query, { ...least[table], ...fields })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const clear = async (table: Table): Promise<void> => {
    for (const { id } of await list(table)) assert.equal((await admin('DELETE', `${path(table)}/${id}`)).status, 200)
  }
  const assertRefused = (answer: Answer, ...fields: string[]): void => {
    assert.equal(answer.status, 422, answer.text)
    assert.deepEqual(
      answer.body.problems.map((problem: { field: string }) => problem.field),
      fields,
    )
  }

  const shared = {
    parent_id: root,
    enabled: true,
    protocol: 'any',
    source_addresses: ['any'],
    source_addresses_negate: false,
    source_ports: ['any'],
    destination_addresses: ['any'],
    destination_addresses_negate: false,
    destination_ports: ['any'],
    timetable: ['any'],
    comment: '',
  }
  const filter = {
    ...shared,
    incoming_interface: 'any',
    outgoing_interface: 'any',
    hip_profiles: [],
    dpi_enabled: false,
    dpi_profile: '',
    ips_enabled: false,
    ips_profile: '',
  }
  const whole: Readonly<Record<Table, object>> = {
    forward: filter,
    input: filter,
    dnat: { ...shared, incoming_interface: 'any', change_destination_port: null },
    snat: { ...shared, outgoing_interface: 'any', change_source_address: null },
    log: { ...shared, incoming_interface: 'any', outgoing_interface: 'any' },
  }

  for (const table of tables) {
    it(`of ${table} get defaults for what is left out`, async () => {
      const id = await add(table)
      assert.deepEqual(await list(table), [{ ...whole[table], ...least[table], id }])
      await clear(table)
    })

    it(`of ${table} keep every field they are given, by POST, PATCH and PUT`, async () => {
      const full = {
        ...whole[table],
        ...least[table],
        enabled: false,
        parent_id: uuid,
        protocol: 'protocol.tcp',
        source_addresses: [objects.ip, objects.network, 'group.id.2', 'iplist.id.276'],
        source_addresses_negate: true,
        source_ports: [objects.portRange],
        destination_addresses: [objects.range],
        destination_addresses_negate: true,
        destination_ports: [objects.port, objects.portRange],
        timetable: [objects.time],
        comment: 'as it was',
        ...('incoming_interface' in whole[table] ? { incoming_interface: objects.zone } : {}),
        ...('outgoing_interface' in whole[table] ? { outgoing_interface: 'interface.external_any' } : {}),
      }
      const id = await add(table, full)
      assert.deepEqual(await list(table), [{ ...full, id }])
      const patched = await admin('PATCH', `${path(table)}/${id}`, { comment: 'changed', enabled: true })
      assert.equal(patched.status, 200)
      assert.equal(patched.text, '')
      assert.deepEqual(await list(table), [{ ...full, comment: 'changed', enabled: true, id }])
      assert.equal((await admin('PUT', `${path(table)}/${id}`, least[table])).status, 200)
      assert.deepEqual(await list(table), [{ ...whole[table], ...least[table], id }])
      assert.equal((await admin('PUT', `${path(table)}/${id}`, { ...full, id })).status, 200)
      assert.deepEqual(await list(table), [{ ...full, id }])
      assertRefused(await admin('PUT', `${path(table)}/${id}`, { ...full, id: id + 1 }), 'id')
      await clear(table)
    })

    it(`of ${table} that are not there are not found`, async () => {
      for (const id of ['999999', 'abc', '1e0', '-1', '%00']) {
        assert.equal((await admin('PATCH', `${path(table)}/${id}`, { comment: '' })).status, 404, id)
        assert.equal((await admin('PUT', `${path(table)}/${id}`, least[table])).status, 404, id)
        assert.equal((await admin('DELETE', `${path(table)}/${id}`)).status, 404, id)
      }
    })
  }

  it('stores the published example and answers with a number', async () => {
    const { body } = await admin('POST', '/aliases/lists/addresses', { title: 'l', comment: '', values: [objects.ip] })
    const answer = await admin('POST', '/firewall/rules/forward', {
      action: 'drop',
      comment: '',
      destination_addresses: [objects.range],
      destination_addresses_negate: false,
      destination_ports: ['any'],
      enabled: true,
      hip_profiles: [],
      incoming_interface: 'any',
      outgoing_interface: 'any',
      protocol: 'protocol.tcp',
      source_addresses: [body.id],
      source_addresses_negate: false,
      timetable: ['any'],
      parent_id: root,
    })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body), ['id'])
    assert.ok(Number.isInteger(answer.body.id))
    await clear('forward')
    assert.equal((await admin('DELETE', `/aliases/lists/addresses/${body.id}`)).status, 200)
  })

  const foreign: [Table, string, unknown][] = [
    ['forward', 'change_source_address', null],
    ['input', 'change_destination_address', null],
    ['dnat', 'outgoing_interface', 'any'],
    ['dnat', 'hip_profiles', []],
    ['dnat', 'change_source_address', null],
    ['snat', 'incoming_interface', 'any'],
    ['snat', 'dpi_enabled', false],
    ['log', 'ips_profile', ''],
    ['log', 'change_destination_port', null],
  ]
  for (const [table, field, value] of foreign) {
    it(`of ${table} do not know ${field}`, async () => {
      assertRefused(await admin('POST', path(table), { ...least[table], [field]: value }), field)
    })
  }

  const actions: [Table, string][] = [
    ['forward', 'dnat'],
    ['input', 'mark_log'],
    ['dnat', 'drop'],
    ['snat', 'dnat'],
    ['log', 'accept'],
  ]
  for (const [table, action] of actions) {
    it(`of ${table} do not know the action ${action}`, async () => {
      assertRefused(await admin('POST', path(table), { ...least[table], action }), 'action')
    })
  }

  const tcp = { protocol: 'protocol.tcp' }
  const faults: [title: string, table: Table, fields: () => object, ...named: string[]][] = [
    ['without an action', 'forward', () => ({ action: undefined }), 'action'],
    ['with an empty list', 'forward', () => ({ source_addresses: [] }), 'source_addresses'],
    ['with any beside others', 'input', () => ({ source_addresses: ['any', objects.ip] }), 'source_addresses'],
    ['with any beside times', 'log', () => ({ timetable: [objects.time, 'any'] }), 'timetable'],
    ['with an object twice', 'log', () => ({ timetable: [objects.time, objects.time] }), 'timetable'],
    [
      'with an unknown object',
      'forward',
      () => ({ source_addresses: [objects.ip, objects.range, objects.network, 'ip.id.999'] }),
      'source_addresses[3]',
    ],
    [
      'with objects of the wrong kind',
      'forward',
      () => ({ source_addresses: [objects.port], destination_addresses: [objects.time], timetable: [objects.ip] }),
      'source_addresses[0]',
      'destination_addresses[0]',
      'timetable[0]',
    ],
    ['with an address as port', 'forward', () => ({ ...tcp, source_ports: [objects.ip] }), 'source_ports[0]'],
    ['with more than 200 objects', 'forward', () => ({ source_addresses: many(201) }), 'source_addresses'],
    ['with ports of any protocol', 'forward', () => ({ destination_ports: [objects.port] }), 'destination_ports'],
    [
      'with ports of ICMP',
      'input',
      () => ({ protocol: 'protocol.icmp', source_ports: [objects.port], destination_ports: [objects.port] }),
      'source_ports',
      'destination_ports',
    ],
    ['with an unknown protocol', 'snat', () => ({ protocol: 'protocol.ipip' }), 'protocol'],
    ['with a bare protocol', 'snat', () => ({ protocol: 'tcp' }), 'protocol'],
    ['with an unknown interface', 'forward', () => ({ incoming_interface: 'interface.id.77' }), 'incoming_interface'],
    ['with an unknown zone', 'log', () => ({ outgoing_interface: 'zone.id.77' }), 'outgoing_interface'],
    ['with an address as interface', 'log', () => ({ outgoing_interface: objects.ip }), 'outgoing_interface'],
    ['with a group as device profile', 'forward', () => ({ hip_profiles: ['group.id.1'] }), 'hip_profiles[0]'],
    ['with inspection and no profile', 'forward', () => ({ dpi_enabled: true }), 'dpi_profile'],
    ['with prevention and no profile', 'input', () => ({ ips_enabled: true, ips_profile: '' }), 'ips_profile'],
    ['with an unknown profile', 'forward', () => ({ dpi_enabled: true, dpi_profile: uuid }), 'dpi_profile'],
    [
      'with unknown profiles that are not used',
      'input',
      () => ({ dpi_profile: '__DEFAULT_IPS_PROFILE_ID__', ips_profile: uuid }),
      'dpi_profile',
      'ips_profile',
    ],
    ['with a long comment', 'forward', () => ({ comment: 'x'.repeat(256) }), 'comment'],
    ['that translate to nothing', 'dnat', () => ({ change_destination_address: null }), 'change_destination_address'],
    [
      'that translate to a network',
      'dnat',
      () => ({ change_destination_address: '10.0.0.0/8' }),
      'change_destination_address',
    ],
    [
      'that translate to a range that runs backwards',
      'dnat',
      () => ({ change_destination_address: '10.0.0.9-10.0.0.2' }),
      'change_destination_address',
    ],
    [
      'that translate to a subnet object',
      'dnat',
      () => ({ change_destination_address: objects.network }),
      'change_destination_address',
    ],
    [
      'that translate to an unknown object',
      'snat',
      () => ({ change_source_address: 'ip.id.999' }),
      'change_source_address',
    ],
    [
      'that change a port without a protocol',
      'dnat',
      () => ({ change_destination_port: '80' }),
      'change_destination_port',
    ],
    [
      'that change to a port there is not',
      'dnat',
      () => ({ ...tcp, change_destination_port: '65536' }),
      'change_destination_port',
    ],
    [
      'that change to ports that run backwards',
      'dnat',
      () => ({ ...tcp, change_destination_port: '90-80' }),
      'change_destination_port',
    ],
    [
      'that accept and translate',
      'dnat',
      () => ({ action: 'accept', change_destination_address: '10.0.0.1', ...tcp, change_destination_port: '80' }),
      'change_destination_address',
      'change_destination_port',
    ],
    [
      'that accept and hide',
      'snat',
      () => ({ action: 'accept', change_source_address: '10.0.0.1' }),
      'change_source_address',
    ],
  ]
  const many = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, index) => `security_group.guid.00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
    )
  for (const [title, table, fields, ...named] of faults) {
    it(`${title} are refused by POST, PUT and PATCH, naming ${named.join(' and ')}`, async () => {
      const { revision } = gateway.engine
      const body = Object.fromEntries(
        Object.entries({ ...least[table], ...fields() }).filter(([, value]) => value !== undefined),
      )
      assertRefused(await admin('POST', path(table), body), ...named)
      assert.equal(gateway.engine.revision, revision)
      if (!('action' in body)) return
      const id = await add(table)
      assertRefused(await admin('PATCH', `${path(table)}/${id}`, body), ...named)
      assertRefused(await admin('PUT', `${path(table)}/${id}`, body), ...named)
      assert.deepEqual(await list(table), [{ ...whole[table], ...least[table], id }])
      await clear(table)
    })
  }

  const translations: [Table, () => object][] = [
    ['dnat', () => ({ change_destination_address: '10.0.0.2-10.0.0.9' })],
    ['dnat', () => ({ change_destination_address: objects.ip, ...tcp, change_destination_port: '8080-8090' })],
    ['dnat', () => ({ change_destination_address: objects.range, ...tcp, change_destination_port: objects.port })],
    ['dnat', () => ({ change_destination_address: null, ...tcp, change_destination_port: objects.portRange })],
    ['dnat', () => ({ action: 'accept', change_destination_address: null, change_destination_port: null })],
    ['snat', () => ({ change_source_address: '192.0.2.7' })],
    ['snat', () => ({ change_source_address: objects.range })],
    ['snat', () => ({ action: 'accept', change_source_address: null })],
  ]
  it('translate to literals and to objects, and give back what was stored', async () => {
    for (const [table, fields] of translations) {
      const id = await add(table, fields())
      assert.deepEqual(await list(table), [{ ...whole[table], ...least[table], ...fields(), id }])
      await clear(table)
    }
  })

  it('take 200 objects a field and the interface of the gateway itself', async () => {
    await add('forward', { source_addresses: many(200), incoming_interface: 'interface.utm_outgoing' })
    const profile = { name: 'chat', comment: '', protocols: [] }
    const [{ id }] = (await admin('POST', '/api/application_control/profiles', profile)).body
    await add('forward', { hip_profiles: ['hip_profile.id.1'], dpi_enabled: true, dpi_profile: id })
    await add('forward', { ips_enabled: true, ips_profile: '__DEFAULT_IPS_PROFILE_ID__' })
    await clear('forward')
  })

  it('keep an object from being deleted, and are named as its users', async () => {
    const id = await add('dnat', { source_addresses: [objects.ip], change_destination_address: objects.ip })
    const refused = await admin('DELETE', `/aliases/ip_addresses/${objects.ip}`)
    assert.equal(refused.status, 409, refused.text)
    assert.deepEqual(refused.body.problems, [
      { field: `firewall.dnat[${id}].source_addresses`, message: `DNAT rule ${id}` },
      { field: `firewall.dnat[${id}].change_destination_address`, message: `DNAT rule ${id}` },
    ])
    const users = await admin('GET', `/aliases/where_used/${objects.ip}`)
    assert.deepEqual(
      users.body.map((user: { object: string; field: string }) => `${user.object}.${user.field}`),
      [`firewall.dnat[${id}].source_addresses`, `firewall.dnat[${id}].change_destination_address`],
    )
    await clear('dnat')
  })
})
