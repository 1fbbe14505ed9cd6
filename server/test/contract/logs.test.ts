// The system journal: what the gateway wrote is found with every operator, sorted, searched and in pages; and the settings
// of its forwarding.

import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { roleIds } from '../../src/core/contract/access.ts'
import { makeCertificate } from '../../src/shared/certificates/certificate-maker.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

interface LogRow {
  readonly id: string
  readonly date_time: number
  readonly microseconds: number
  readonly priority: number
  readonly message: string
  readonly syslog_id: string
  readonly unit: string
}

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

describe('the system journal', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    for (const comment of ['first, "quoted"', 'second', 'third']) {
      gateway.clock.wall += 86_400_000
      const answer = await admin('POST', '/aliases/zones', { title: comment })
      assert.equal(answer.status, 200)
      assert.equal((await admin('POST', '/aliases/zones', { title: '' })).status, 422)
    }
    const at = gateway.clock.wall / 1000
    const hit = (index: number, prefix: string) => ({
      'oob.prefix': prefix,
      'oob.in': 'lan0',
      'oob.out': 'wan0',
      'oob.time.sec': at + index,
      'oob.time.usec': 123_000,
      'ip.protocol': 6,
      'ip.totlen': 60,
      src_ip: '10.10.0.7',
      src_port: 40_000 + index,
      dest_ip: '203.0.113.9',
      dest_port: 443,
    })
    const lines = [hit(10, 'FWD 2 drop '), hit(20, 'FWD 3 accept '), hit(30, 'DNAT 4 dnat ')]
    appendFileSync(join(gateway.folder, 'hits.json'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    gateway.clock.wall += 3_600_000
  })
  after(() => gateway.close())

  const ask = (query = ''): Promise<Answer> => admin('GET', `/logs_backend/logs${query}`)
  const rows = async (query = ''): Promise<LogRow[]> => {
    const { status, body, text } = await ask(query)
    assert.equal(status, 200, text)
    assert.equal(body.rows, body.data.length)
    return body.data
  }
  const filtered = (...items: object[]) => rows(`?filter=${json([{ items, link_operator: 'and' }])}`)
  const only = (column_name: string, operator: string, ...value: unknown[]) =>
    filtered({ column_name, operator, value })

  it('holds what administrators did and what the firewall logged, newest first', async () => {
    const all = await rows()
    const [newest] = all
    assert.match(newest?.id ?? '', /^firewall\.\d+$/)
    assert.deepEqual(newest, {
      id: newest?.id,
      date_time: 20_260_104_000_030,
      microseconds: 123_000,
      priority: 6,
      message: 'TCP src 10.10.0.7 sport 40030 dst 203.0.113.9 dport 443 table DNAT rule 4 action dnat',
      syslog_id: 'portcullis-nflog',
      unit: 'portcullis-nflog',
    })
    const times = all.map((row) => row.date_time)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    )
    assert.equal(new Set(all.map((row) => row.id)).size, all.length)
    const refusals = all.filter((row) => row.priority === 4)
    assert.equal(refusals.length, 3)
    assert.match(
      refusals[0]?.message ?? '',
      /^refused of-predefined_admin_write from 127\.0\.0\.1: POST \/aliases\/zones/,
    )
  })

  it('says its columns, and the number of all rows only in pages', async () => {
    const { body } = await ask()
    assert.deepEqual(body.meta.slice(0, 2), [
      { name: 'id', type: 'String' },
      { name: 'date_time', type: 'UInt64' },
    ])
    assert.ok(!('rows_before_limit_at_least' in body))
    const page = (await ask('?limit=2&offset=1')).body
    assert.equal(page.rows, 2)
    assert.equal(page.rows_before_limit_at_least, body.rows)
    assert.deepEqual(page.data, body.data.slice(1, 3))
    assert.deepEqual((await rows('?offset=100000')).length, 0)
  })

  it('filters with every operator', async () => {
    const all = await rows()
    const count = async (expected: (row: LogRow) => boolean, ...filter: Parameters<typeof only>) =>
      assert.deepEqual(await only(...filter), all.filter(expected), JSON.stringify(filter))
    await count((row) => row.message.includes('FWD'), 'message', 'contains', 'table fwd')
    await count((row) => !row.message.includes('FWD'), 'message', 'not_contains', 'table fwd')
    await count((row) => /rule [23] /.test(row.message), 'message', 'contains_any', 'rule 2 ', 'rule 3 ')
    await count((row) => !/rule [23] /.test(row.message), 'message', 'not_contains_any', 'rule 2 ', 'rule 3 ')
    await count((row) => row.priority === 4, 'priority', 'equals', 4)
    await count((row) => row.priority === 4, 'priority', 'equals', '4')
    await count((row) => row.priority !== 4, 'priority', 'not_equals', 4)
    await count((row) => row.priority > 4, 'priority', 'greater', 4)
    await count((row) => row.priority >= 4, 'priority', 'greater_equal', 4)
    await count((row) => row.priority < 6, 'priority', 'less', 6)
    await count((row) => row.priority <= 4, 'priority', 'less_equal', 4)
    await count((row) => row.priority >= 3 && row.priority <= 5, 'priority', 'range', 3, 5)
    await count((row) => row.unit === 'portcullis-nflog', 'unit', 'equals', 'portcullis-nflog', 'nobody')
    const [from, until] = [20_260_102_000_000, 20_260_103_000_000]
    const isBetween = (row: LogRow) => row.date_time >= from && row.date_time < until
    await count(isBetween, 'date_time', 'date_range', from, until)
    await count(isBetween, 'date_time', 'date_range', `${from}`, `${until}`)
    await count((row) => row.date_time >= 20_260_104_000_000, 'date_time', 'date_range', 'today')
    await count((row) => row.date_time >= 20_260_104_000_000, 'date_time', 'date_range', 'hour')
    await count((row) => Math.floor(row.date_time / 1e6) === 20_260_103, 'date_time', 'date_range', 'yesterday')
    await count((row) => row.date_time < 2e13, 'date_time', 'date_range', 'prev_month')
    await count(() => true, 'date_time', 'date_range', 'cur_month')
  })

  it('joins items with and or or, and entries with and', async () => {
    const drop = { column_name: 'message', operator: 'contains', value: ['action drop'] }
    const dnat = { column_name: 'message', operator: 'contains', values: ['action dnat'] }
    const forward = { column_name: 'message', operator: 'contains', value: ['table fwd'] }
    const asked = (filter: unknown) => rows(`?filter=${json(filter)}`)
    assert.equal((await asked([{ items: [drop, dnat], link_operator: 'or' }])).length, 2)
    assert.equal((await asked([{ items: [drop, dnat], link_operator: 'and' }])).length, 0)
    assert.equal((await asked([{ items: [drop, dnat], link_operator: 'or' }, { items: [forward] }])).length, 1)
    assert.equal((await asked([{ items: [] }])).length, (await rows()).length)
  })

  it('searches columns for a text, without regard to case', async () => {
    assert.equal((await rows(`?search=${json([{ text: 'ACTION DROP', columns: ['message'] }])}`)).length, 1)
    assert.equal((await rows(`?search=${json([{ text: 'NFLOG', columns: 'unit' }])}`)).length, 3)
    assert.equal((await rows(`?search=${json([{ text: 'nflog', columns: ['message', 'priority'] }])}`)).length, 0)
  })

  it('sorts by several fields in their order', async () => {
    const sort = [
      { field: 'priority', direction: 'asc' },
      { field: 'date_time', direction: 'asc' },
    ]
    const sorted = await rows(`?sort=${json(sort)}`)
    const keys = sorted.map((row) => row.priority * 1e14 + row.date_time)
    assert.deepEqual(
      keys,
      keys.toSorted((a, b) => a - b),
    )
    assert.deepEqual(await rows(`?sort=${json(sort)}&limit=3`), sorted.slice(0, 3))
  })

  it('comes as CSV', async () => {
    const { headers, text } = await ask(
      `?format_type=CSV&limit=1&filter=${json([{ items: [{ column_name: 'message', operator: 'contains', value: ['action drop'] }] }])}`,
    )
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    const [header, line, ...rest] = text.split('\r\n')
    assert.equal(header, 'id,date_time,microseconds,priority,message,syslog_id,unit')
    assert.match(line ?? '', /^firewall\.\d+,20260104000010,123000,6,TCP src 10\.10\.0\.7/)
    assert.deepEqual(rest, [''])
  })

  it('names what is wrong with a query', async () => {
    const item = { column_name: 'priority', operator: 'equals', value: [4] }
    const wrong: readonly (readonly [string, unknown, string])[] = [
      ['filter', [{ items: [{ ...item, column_name: 'password' }] }], 'filter[0].items[0].column_name'],
      ['filter', [{ items: [{ ...item, operator: 'like' }] }], 'filter[0].items[0].operator'],
      ['filter', [{ items: [{ ...item, value: [] }] }], 'filter[0].items[0].value'],
      ['filter', [{ items: [{ ...item, value: undefined }] }], 'filter[0].items[0].value'],
      ['filter', [{ items: [{ ...item, value: ['x'] }] }], 'filter[0].items[0].value'],
      ['filter', [{ items: [{ ...item, operator: 'greater', value: [1, 2] }] }], 'filter[0].items[0].value'],
      ['filter', [{ items: [{ ...item, operator: 'range', value: [1] }] }], 'filter[0].items[0].value'],
      ['filter', [{ items: [{ ...item, operator: 'date_range', value: ['soon'] }] }], 'filter[0].items[0].value'],
      ['filter', [{ items: [{ ...item, operator: 'date_range', value: [1, 2] }] }], 'filter[0].items[0].value'],
      [
        'filter',
        [{ items: [{ ...item, column_name: 'unit', operator: 'date_range', value: ['today'] }] }],
        'filter[0].items[0].value',
      ],
      ['filter', [{ items: [{ ...item, values: [1] }] }], 'filter[0].items[0].values'],
      ['filter', [{ items: [item], link_operator: 'xor' }], 'filter[0].link_operator'],
      ['sort', [{ field: 'nope', direction: 'asc' }], 'sort[0].field'],
      ['sort', [{ field: 'id', direction: 'up' }], 'sort[0].direction'],
      ['search', [{ text: 'a', columns: [] }], 'search[0].columns'],
    ]
    for (const [name, value, field] of wrong) {
      const answer = await ask(`?${name}=${json(value)}`)
      assert.equal(answer.status, 422, JSON.stringify(value))
      assert.ok(
        answer.body.problems.some((problem: { field: string }) => problem.field === field),
        `${JSON.stringify(value)}: ${answer.text}`,
      )
    }
    assert.equal((await ask('?limit=0')).status, 422)
    assert.equal((await ask('?limit=10001')).status, 422)
    assert.equal((await ask('?filter=[')).status, 400)
  })

  it('gives only what was written since the boot', async () => {
    assert.deepEqual(await rows('?last_reboot_only=true'), [])
    gateway.clock.seconds = 3595
    admin = await gateway.client('predefined_admin_write')
    const recent = await rows('?last_reboot_only=true')
    assert.deepEqual(
      recent.map((row) => /sport (\d+)/.exec(row.message)?.[1]),
      ['40030', '40020', '40010'],
    )
  })

  it('is for those of whom whoami says that they may view reports, as all reports are', async () => {
    const reports = ['/logs_backend/logs', '/reports/traffic/sessions', '/reports/report/firewall/journal']
    for (const role of roleIds) {
      const client = await gateway.client(role)
      const mayView = (await client('GET', '/web/whoami')).body.competence.includes('reports_view')
      for (const path of reports) assert.equal((await client('GET', path)).status, mayView ? 200 : 403, role)
    }
    const stranger = await gateway.client(null)
    for (const path of reports) assert.equal((await stranger('GET', path)).status, 401)
  })
})

describe('the forwarding of the journal', () => {
  it('is stored and kept', async () => {
    let gateway = await createTestGateway()
    let admin = await gateway.client('predefined_admin_write')
    const get = async (url: string) => (await admin('GET', `/logs_backend/remote_syslog${url}`)).body
    assert.deepEqual(await get(''), { host: null, port: null, protocol: 'tcp', format: 'syslog' })
    assert.deepEqual(await get('/state'), { enabled: false })
    const off = { name: 'portcullis-logs-backend', status: 'inactive', msg: ['Forwarding is switched off.'] }
    assert.deepEqual(await get('/status'), [off])
    const wanted = { host: '192.168.0.10', port: 514, protocol: 'udp', format: 'cef' }
    const patch = (body: object, url = '') => admin('PATCH', `/logs_backend/remote_syslog${url}`, body)
    assert.equal((await patch(wanted)).status, 200)
    assert.deepEqual(await get(''), wanted)
    assert.equal((await patch({ enabled: true }, '/state')).status, 200)
    assert.match((await get('/status'))[0].msg.join(' '), /Nothing is sent/)
    for (const host of [
      '',
      'collector.example',
      '127.0.0.1',
      '0.0.0.0',
      '169.254.1.1',
      '224.0.0.1',
      '255.255.255.255',
    ]) {
      const answer = await patch({ host })
      assert.equal(answer.status, 422, host)
      assert.deepEqual(
        answer.body.problems.map(({ field }: { field: string }) => field),
        ['host'],
      )
    }
    for (const port of [0, 65_536, '514', '']) assert.equal((await patch({ port })).status, 422)
    for (const body of [{ protocol: '' }, { format: 'json' }, { protocol: null }])
      assert.equal((await patch(body)).status, 422)
    assert.deepEqual(await get(''), wanted)
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual(await get(''), wanted)
    assert.deepEqual(await get('/state'), { enabled: true })
    assert.equal((await patch({ host: null, port: null })).status, 200)
    assert.match((await get('/status'))[0].msg.join(' '), /address/)
    await gateway.close()
  })

  it('can be encrypted, only over TCP and with certificates that can be read', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const path = '/logs_backend/remote_syslog'
    const off = { enabled: false, ca_certificate: null, server_name: null }
    const tls = async () => (await admin('GET', `${path}/tls`)).body
    assert.deepEqual(await tls(), off)
    const fieldsOf = async (body: object, url: string) => {
      const answer = await admin('PATCH', `${path}${url}`, body)
      return answer.status === 200 ? [] : answer.body.problems.map(({ field }: { field: string }) => field)
    }
    const { chain } = await makeCertificate(['collector.test'], new Date())
    const wanted = { enabled: true, ca_certificate: chain, server_name: 'collector.test' }
    assert.deepEqual(await fieldsOf(wanted, '/tls'), [])
    assert.deepEqual(await tls(), wanted)
    assert.deepEqual(await fieldsOf({ protocol: 'udp' }, ''), ['protocol'])
    assert.deepEqual(await fieldsOf({ ca_certificate: 'not a certificate' }, '/tls'), ['ca_certificate'])
    for (const server_name of ['', 'two words', '192.0.2.1'])
      assert.deepEqual(await fieldsOf({ server_name }, '/tls'), ['server_name'], server_name)
    assert.deepEqual(await tls(), wanted)
    assert.deepEqual(await fieldsOf({ enabled: false }, '/tls'), [])
    assert.deepEqual(await fieldsOf({ protocol: 'udp' }, ''), [])
    assert.deepEqual(await fieldsOf({ enabled: true }, '/tls'), ['enabled'])
    const settings = (await admin('GET', path)).body
    assert.deepEqual(settings, { host: null, port: null, protocol: 'udp', format: 'syslog' })
    await gateway.close()
  })
})
