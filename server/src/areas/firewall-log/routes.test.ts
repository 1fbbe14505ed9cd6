// The endpoint over a whole gateway: what the reader wrote is what is answered.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'

const line = (prefix: string, source: string, port: number): string =>
  `${JSON.stringify({
    'oob.prefix': `${prefix} `,
    'oob.time.sec': 1_767_225_600,
    'ip.protocol': 6,
    'ip.totlen': 60,
    src_ip: source,
    dest_ip: '203.0.113.5',
    src_port: 41_528,
    dest_port: port,
    'oob.in': 'lan0',
    'oob.out': 'wan0',
  })}\n`

describe('GET /firewall/log', () => {
  let gateway: TestGateway
  let client: Client
  before(async () => {
    gateway = await createTestGateway()
    client = await gateway.client('predefined_admin_readonly')
    const lines = [
      line('FWD 2 drop', '192.0.2.25', 443),
      line('ACL 0b6c9a9e-5a8e-4d4c-8f0a-7b1d0a9c2f11 deny', '192.0.2.25', 80),
      'garbage\n',
      line('INP 7 accept', '192.0.2.26', 8443),
    ]
    writeFileSync(join(gateway.folder, 'hits.json'), lines.join(''))
  })
  after(() => gateway.close())

  const tablesOf = async (query: string): Promise<string[]> => {
    const { status, body } = await client('GET', `/firewall/log${query}`)
    assert.equal(status, 200)
    return body.map(({ table }: { table: string }) => table)
  }

  it('answers with whole records, newest first', async () => {
    const { body } = await client('GET', '/firewall/log?action=drop')
    assert.deepEqual(body, [
      {
        time: '2026-01-01T00:00:00.000Z',
        table: 'FWD',
        rule_id: '2',
        action: 'drop',
        protocol: 'TCP',
        source_ip: '192.0.2.25',
        source_port: 41_528,
        destination_ip: '203.0.113.5',
        destination_port: 443,
        in_interface: 'lan0',
        out_interface: 'wan0',
        length: 60,
        lost: 0,
        text: 'TCP src 192.0.2.25 sport 41528 dst 203.0.113.5 dport 443 table FWD rule 2 action drop',
      },
    ])
    assert.deepEqual(await tablesOf(''), ['INP', 'SYS', 'ACL', 'FWD'])
  })

  it('takes pages and filters', async () => {
    assert.deepEqual(await tablesOf('?limit=1&offset=2'), ['ACL'])
    assert.deepEqual(await tablesOf('?table=INP'), ['INP'])
    assert.deepEqual(await tablesOf('?source_ip=192.0.2.25&rule_id=2'), ['FWD'])
    assert.deepEqual(await tablesOf('?destination_ip=192.0.2.1'), [])
  })

  it('looks through all records for times, texts and any column', async () => {
    const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))
    const filter = (column_name: string, operator: string, ...value: unknown[]) =>
      `filter=${json([{ items: [{ column_name, operator, value }] }])}`
    assert.deepEqual(await tablesOf(`?${filter('destination_port', 'equals', '443')}`), ['FWD'])
    assert.deepEqual(await tablesOf(`?${filter('table', 'not_equals', 'SYS', 'INP')}`), ['ACL', 'FWD'])
    assert.deepEqual(await tablesOf(`?search=${json([{ text: '192.0.2.26 SPORT', columns: ['text'] }])}`), ['INP'])
    const [before, at, next] = [1_767_225_599, 1_767_225_600, 1_767_225_601]
    assert.deepEqual(await tablesOf(`?from=${at}&until=${next}&table=FWD`), ['FWD'])
    assert.deepEqual(await tablesOf(`?from=${before}&until=${at}`), [])
    const counted = await client('GET', `/firewall/log/buckets?from=${at}&until=${at + 60}&width=60`)
    assert.deepEqual([counted.status, counted.body], [200, [{ from: at, counts: [{ value: '', records: 4 }] }]])
    const some = await client(
      'GET',
      `/firewall/log/buckets?from=${at}&until=${at + 60}&width=60&${filter('action', 'equals', 'drop')}`,
    )
    assert.deepEqual(some.body, [{ from: at, counts: [{ value: '', records: 1 }] }])
    for (const query of ['?from=-1', '?until=x', `?${filter('nothing', 'equals', 'x')}`])
      assert.equal((await client('GET', `/firewall/log${query}`)).status, 422, query)
  })

  it('is also there as CSV of the columns asked for', async () => {
    const columns = encodeURIComponent('["table","source_port"]')
    const { text, headers } = await client('GET', `/firewall/log?format_type=CSV&columns=${columns}&limit=2`)
    assert.match(String(headers['content-type']), /^text\/csv/)
    assert.equal(text, 'table,source_port\r\nINP,41528\r\nSYS,\r\n')
  })

  it('refuses what is not a filter', async () => {
    for (const query of ['?table=MANGLE', '?action=mark', '?limit=0', '?unknown=1'])
      assert.equal((await client('GET', `/firewall/log${query}`)).status, 422)
  })
})

describe('GET /firewall/log/rules', () => {
  let gateway: TestGateway
  let client: Client
  before(async () => {
    gateway = await createTestGateway()
    client = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const rulesOf = (rules: readonly object[]) =>
    client('GET', `/firewall/log/rules?rules=${encodeURIComponent(JSON.stringify(rules))}`)

  it('finds the rule of a record as long as it is there', async () => {
    const { body: rule } = await client('POST', '/firewall/rules/dnat', {
      action: 'dnat',
      protocol: 'protocol.tcp',
      change_destination_address: '10.0.0.9',
      comment: 'web server',
    })
    const { body: list } = await client('POST', '/acl/rules', { name: 'guests', value: [] })
    const [dnat, acl] = [
      { table: 'DNAT', rule_id: `${rule.id}` },
      { table: 'ACL', rule_id: list.id },
    ]
    const gone = { exists: false, path: null, name: '', action: null, enabled: false }
    const other = [
      { table: 'SNAT', rule_id: `${rule.id}` },
      { table: 'DNAT', rule_id: `0${rule.id}` },
      { table: 'SYS', rule_id: '1' },
      { table: 'ACL', rule_id: 'default' },
    ]
    const { status, body } = await rulesOf([acl, dnat, ...other])
    assert.equal(status, 200)
    assert.deepEqual(body, [
      { ...acl, exists: true, path: `/acl/rules/${list.id}`, name: 'guests', action: null, enabled: true },
      {
        ...dnat,
        exists: true,
        path: `/firewall/rules/dnat/${rule.id}`,
        name: 'web server',
        action: 'dnat',
        enabled: true,
      },
      ...other.map((one) => ({ ...one, ...gone })),
    ])
    assert.equal((await client('DELETE', `/firewall/rules/dnat/${rule.id}`)).status, 200)
    assert.deepEqual((await rulesOf([dnat])).body, [{ ...dnat, ...gone }])
  })

  it('refuses what is not a list of rules', async () => {
    for (const rules of [[], [{ table: 'X', rule_id: '1' }], [{ table: 'FWD' }], [{ table: 'FWD', rule_id: '../1' }]])
      assert.equal((await rulesOf(rules)).status, 422)
  })
})
