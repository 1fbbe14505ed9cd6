// Lists as JSON and as CSV: columns, their order, what a spreadsheet must not run, and the pages of long lists.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { administratorColumns } from '../../src/areas/administrators/contract.ts'
import { domains } from '../../src/areas/objects/config.ts'
import { read, write } from '../../src/core/model/slots.ts'
import { parseCsv } from '../support/csv.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

describe('the list of administrators', () => {
  let gateway: TestGateway
  let admin: Client
  const hostile = [
    'plain',
    '',
    'comma, "quote"',
    '"',
    '""',
    "it's",
    '=1+1',
    "=cmd|' /C calc'!A0",
    '+1',
    '-1',
    '@SUM(A1)',
    '-',
    ' =1',
    '😀',
    'a;b',
    '<b>',
    '\\',
    ',,,',
    "'",
    'True',
    'ünï',
  ]
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    for (const [index, comment] of hostile.entries()) {
      const id = await gateway.addAdministrator(`row-${index}`, 'predefined_reports_view')
      assert.equal((await admin('PATCH', `/web/admins/local/${id}`, { comment, enabled: index % 2 === 0 })).status, 200)
    }
  })
  after(() => gateway.close())

  const csv = async (query: string) => admin('GET', `/web/admins/local?format_type=CSV${query}`)
  const neutral = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

  it('is JSON without parameters, with format_type=JSON and whatever columns say', async () => {
    const plain = await admin('GET', '/web/admins/local')
    assert.equal(plain.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(plain.body.length, hostile.length + 1)
    for (const query of ['?format_type=JSON', '?columns=[]', '?columns=["id"]&format_type=JSON']) {
      assert.equal((await admin('GET', `/web/admins/local${query}`)).text, plain.text)
    }
  })

  it('is CSV with all columns unless some are named', async () => {
    const { headers, text } = await csv('')
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
    const [header, ...rows] = parseCsv(text)
    assert.deepEqual(header, [...administratorColumns])
    assert.deepEqual(header, ['id', 'name', 'enabled', 'login', 'role', 'comment', 'password_timestamp'])
    assert.equal(rows.length, hostile.length + 1)
    assert.equal((await csv('&columns=[]')).text, text)
  })

  it('says in CSV what it says in JSON, cell for cell', async () => {
    const { body } = await admin('GET', '/web/admins/local')
    const [header = [], ...rows] = parseCsv((await csv('')).text)
    body.forEach((item: Record<string, unknown>, index: number) => {
      const expected = header.map((column) => {
        const value = item[column]
        return typeof value === 'boolean' ? (value ? 'True' : 'False') : neutral(String(value))
      })
      assert.deepEqual(rows[index], expected)
    })
  })

  it('has the columns asked for, in the order asked for', async () => {
    for (const columns of [['login'], ['comment', 'id'], [...administratorColumns].reverse(), ['id', 'id']]) {
      const [header, first] = parseCsv((await csv(`&columns=${JSON.stringify(columns)}`)).text)
      assert.deepEqual(header, columns)
      assert.equal(first?.length, columns.length)
    }
  })

  it('holds nothing a spreadsheet would run', async () => {
    const cells = parseCsv((await csv('&columns=["comment"]')).text).flat()
    for (const cell of cells) assert.doesNotMatch(cell, /^[=+\-@\t\r]/)
    for (const comment of hostile) assert.ok(cells.includes(neutral(comment)), comment)
  })

  it('refuses columns it does not have, and what is not a list', async () => {
    for (const columns of ['["password"]', '["password_hash"]', '["id","nope"]', '["__proto__"]', '[""]']) {
      const answer = await csv(`&columns=${encodeURIComponent(columns)}`)
      assert.equal(answer.status, 422, columns)
      assert.match(answer.body.problems[0].field, /^columns\[\d\]$/)
    }
    for (const columns of ['id', '', '[', "['id']", 'id,name']) {
      const answer = await csv(`&columns=${encodeURIComponent(columns)}`)
      assert.equal(answer.status, 400, columns)
      assert.equal(answer.body.problems[0].field, 'columns')
    }
    assert.equal((await admin('GET', '/web/admins/local?format_type=csv')).status, 422)
  })
})

describe('a list whose bytes are kept', () => {
  it('has the same bytes after changes as after a restart, which keeps none', async () => {
    let gateway = await createTestGateway()
    let admin = await gateway.client('predefined_admin_write')
    const path = '/aliases/domains'
    const add = async (name: string): Promise<string> =>
      (await admin('POST', path, { title: name, comment: `"${name}" ü 😀`, value: `${name}.example` })).body.id
    await add('first')
    const last = await add('last')
    await gateway.engine.change({
      edit: (config) => {
        const [first, second] = read(config, domains)
        assert.ok(first && second)
        const many = Array.from({ length: 700 }, (_, index) => ({ ...first, id: `domain.id.${1_000 + index}` }))
        return [write(config, domains, [first, ...many, second]), null]
      },
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
    const before = await admin('GET', path)
    assert.equal(before.body.length, 702)
    const changed = 'domain.id.1300'
    const removed = 'domain.id.1005'
    assert.equal((await admin('PATCH', `${path}/${changed}`, { comment: 'changed' })).status, 200)
    assert.equal((await admin('GET', path)).body.length, 702)
    assert.equal((await admin('DELETE', `${path}/${removed}`)).status, 200)
    assert.equal((await admin('GET', path)).body.length, 701)
    const added = await add('added')
    const shown = await admin('GET', path)
    const expected = before.body
      .filter((item: { id: string }) => item.id !== removed)
      .map((item: { id: string }) => (item.id === changed ? { ...item, comment: 'changed' } : item))
    assert.deepEqual(shown.body.slice(0, -1), expected)
    assert.deepEqual([shown.body.at(-2).id, shown.body.at(-1).id], [last, added])
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.equal((await admin('GET', path)).text, shown.text)
    await gateway.close()
  })
})

describe('long lists', () => {
  it('come in pages, newest first', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    for (let index = 0; index < 6; index++) await admin('PATCH', '/gather_stat/settings', { enabled: index % 2 === 0 })
    const numbers = async (query: string): Promise<number[]> =>
      (await admin('GET', `/config/revisions${query}`)).body.map((item: { revision: number }) => item.revision)
    const all = await numbers('')
    assert.deepEqual(
      all,
      [...all].sort((a, b) => b - a),
    )
    assert.deepEqual(await numbers('?limit=2'), all.slice(0, 2))
    assert.deepEqual(await numbers('?limit=2&offset=3'), all.slice(3, 5))
    assert.deepEqual(await numbers('?offset=1000'), [])
    assert.deepEqual(await numbers('?limit=10000&offset=1000000'), [])
    await gateway.close()
  })
})
