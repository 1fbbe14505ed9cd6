// POST /config/changes: several calls as one change with one revision, all or nothing; a refusal names the call.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freshSignInSeconds } from '../../src/core/contract/endpoint.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly if_match?: string
  readonly ids?: readonly { readonly into: string; readonly of: number }[]
}

const address = (title: string, value = '192.0.2.1'): Call => ({
  method: 'POST',
  path: '/aliases/ip_addresses',
  body: { title, comment: '', value },
})
const rule = (fields: object = {}): Call => ({
  method: 'POST',
  path: '/firewall/rules/forward',
  body: { action: 'drop', ...fields },
})
const settings = (log_mode: string): Call => ({ method: 'PATCH', path: '/firewall/settings', body: { log_mode } })

describe('several calls as one change', () => {
  let gateway: TestGateway
  let admin: Client
  let firewall: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    firewall = await gateway.client('predefined_firewall_admin')
  })
  after(() => gateway.close())

  const send = (calls: readonly unknown[], query = '', headers: Record<string, string> = {}, client = admin) =>
    client('POST', `/config/changes${query}`, { calls }, headers)
  const fieldsOf = (answer: Answer): string[] =>
    (answer.body.problems ?? []).map(({ field }: { field: string }) => field)
  /** Refused with this status and these fields, and nothing is changed. */
  const refused = async (calls: readonly unknown[], status: number, ...fields: string[]): Promise<Answer> => {
    const { revision, config } = gateway.engine
    const answer = await send(calls)
    assert.equal(answer.status, status, answer.text)
    assert.deepEqual(fieldsOf(answer), fields, answer.text)
    assert.equal(gateway.engine.revision, revision)
    assert.equal(gateway.engine.config, config)
    return answer
  }
  const rules = async (): Promise<{ id: number; comment: string }[]> =>
    (await admin('GET', '/firewall/rules/forward')).body

  it('makes one revision and gives the reply of each call', async () => {
    const { revision } = gateway.engine
    const answer = await send([rule({ comment: 'a' }), settings('all'), address('server'), rule({ comment: 'b' })])
    assert.equal(answer.status, 200, answer.text)
    const [first, second, third, fourth] = answer.body.replies
    assert.equal(second, null)
    assert.equal(fourth.id, first.id + 1)
    assert.match(third.id, /^ip\.id\.\d+$/)
    assert.equal(gateway.engine.revision, revision + 1)
    assert.equal(answer.headers['portcullis-revision'], String(revision + 1))
    assert.deepEqual(
      (await rules()).map(({ id, comment }) => [id, comment]),
      [
        [first.id, 'a'],
        [fourth.id, 'b'],
      ],
    )
    const shown = (await admin('GET', `/config/revisions/${revision + 1}`)).body
    assert.equal(shown.changes.length, 4)
    const later = await send([rule({ comment: 'c' })])
    assert.equal(later.body.replies[0].id, fourth.id + 1, 'numbers are not given twice')
    await send(
      [first.id, fourth.id, later.body.replies[0].id].map((id) => ({
        method: 'DELETE',
        path: `/firewall/rules/forward/${id}`,
      })),
    )
    assert.deepEqual(await rules(), [])
  })

  it('makes each call on top of those before it', async () => {
    const { id } = (await admin('POST', '/firewall/rules/forward', { action: 'drop', comment: 'one' })).body
    const path = `/firewall/rules/forward/${id}`
    const answer = await send([
      { method: 'PATCH', path, body: { comment: 'two' } },
      { method: 'PATCH', path, body: { enabled: false } },
      rule({ comment: 'before' }),
    ])
    assert.equal(answer.status, 200, answer.text)
    const [{ comment, enabled }] = (await admin('GET', '/firewall/rules/forward')).body
    assert.deepEqual([comment, enabled], ['two', false])
    await refused(
      [
        { method: 'DELETE', path },
        { method: 'PATCH', path, body: { comment: 'three' } },
      ],
      404,
      'calls[1].path',
    )
    assert.equal((await send([{ method: 'DELETE', path }])).status, 200)
  })

  it('is one audit record with the reason of the whole', async () => {
    const answer = await send([rule(), rule()], '', { 'portcullis-reason': 'as agreed' })
    assert.equal(answer.status, 200, answer.text)
    const [newest] = (await admin('GET', '/config/revisions?limit=1')).body
    assert.equal(newest.reason, 'as agreed')
    const records = (await admin('GET', '/journal/records?limit=5')).body as { revision: number; changes: unknown[] }[]
    assert.deepEqual(
      records.filter(({ revision }) => revision === newest.revision).map(({ changes }) => changes.length),
      [2],
    )
  })

  it('says what the whole would change in a dry run, and changes nothing', async () => {
    const { revision } = gateway.engine
    const answer = await send([rule({ comment: 'tried' }), settings('nothing')], '?dry_run=true')
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.dry_run, true)
    assert.equal(answer.body.changes.length, 2)
    assert.ok(answer.body.artifacts.length > 0)
    assert.equal(gateway.engine.revision, revision)
    const bad = await send([rule({ action: 'explode' })], '?dry_run=true')
    assert.equal(bad.status, 422)
  })

  it('can be on probation as a whole', async () => {
    const before = (await rules()).length
    const answer = await send([rule(), rule()], '', { 'portcullis-confirm-within': '60' })
    assert.equal(answer.status, 200, answer.text)
    assert.ok(answer.headers['portcullis-confirm-before'])
    await refused([rule()], 409)
    assert.equal((await admin('DELETE', '/config/confirm')).status, 200)
    assert.equal((await rules()).length, before)
  })

  it('names the fields of every call that is refused', async () => {
    const answer = await refused(
      [
        rule(),
        rule({ action: 'explode' }),
        rule({ colour: 'red' }),
        { ...rule(), path: '/firewall/rules/forward?where=top' },
      ],
      422,
      'calls[1].body.action',
      'calls[2].body.colour',
      'calls[3].path',
    )
    assert.match(answer.body.message, /3 calls are refused.*calls\[1\] \(POST \/firewall\/rules\/forward\)/)
    await refused([rule(), { method: 'POST', path: '/firewall/rules/forward' }], 422, 'calls[1].body')
    await refused([{ method: 'DELETE', path: '/firewall/rules/forward/1', body: { a: 1 } }], 422, 'calls[0].body')
    await refused([rule({ source_addresses: ['ip.id.9999'] })], 422, 'calls[0].body.source_addresses[0]')
  })

  it('refuses names that two calls give, and names of objects instead of their ids', async () => {
    const zone: Call = {
      method: 'POST',
      path: '/dns/zones/forward',
      body: { name: 'twin.test', servers: ['192.0.2.1'], comment: '', enabled: true },
    }
    const answer = await refused([zone, rule(), zone], 409, 'calls[2].body.name')
    assert.match(answer.body.message, /^calls\[2\] \(POST /)
    await refused([address('new'), rule({ source_addresses: ['new'] })], 422, 'calls[1].body.source_addresses[0]')
  })

  /** A rule from the address that the call with this number creates. */
  const from = (of: number, fields: object = {}): Call => ({
    ...rule({ source_addresses: [null], ...fields }),
    ids: [{ into: 'source_addresses[0]', of }],
  })

  it('lets a call name what earlier ones create, as one revision', async () => {
    const { revision } = gateway.engine
    const list: Call = {
      method: 'POST',
      path: '/aliases/lists/addresses',
      body: { title: 'both', comment: '', values: [null, null] },
      ids: [
        { into: 'values[1]', of: 0 },
        { into: 'values[0]', of: 1 },
      ],
    }
    const calls = [
      address('first', '192.0.2.41'),
      address('second', '192.0.2.42'),
      list,
      from(2, { destination_addresses: ['any'], comment: 'source_addresses[0]' }),
    ]
    const tried = await send(calls, '?dry_run=true')
    assert.equal(tried.status, 200, tried.text)
    assert.deepEqual([tried.body.changes.length, gateway.engine.revision], [4, revision])
    const answer = await send(calls)
    assert.equal(answer.status, 200, answer.text)
    const [first, second, both, made] = answer.body.replies
    const lists = (await admin('GET', '/aliases/lists/addresses')).body as { id: string; values: string[] }[]
    assert.deepEqual(lists.find(({ id }) => id === both.id)?.values, [second.id, first.id])
    const stored = ((await admin('GET', '/firewall/rules/forward')).body as { id: number; comment: string }[]).find(
      ({ id }) => id === made.id,
    ) as { source_addresses?: string[]; comment: string } | undefined
    assert.deepEqual([stored?.source_addresses, stored?.comment], [[both.id], 'source_addresses[0]'])
    assert.equal(gateway.engine.revision, revision + 1)
    assert.equal((await admin('POST', `/config/revisions/${revision + 1}/undo`)).status, 200, 'all of it is taken back')
  })

  it('refuses ids of calls that create nothing, and places that are not empty', async () => {
    const at = (ids: Call['ids'], body: object = { source_addresses: [null] }): Call => ({
      ...rule(body),
      ids: ids ?? [],
    })
    for (const call of [1, 2, 1_999])
      await refused(
        [address('a'), at([{ into: 'source_addresses[0]', of: call }]), address('b')],
        422,
        'calls[1].ids[0].of',
      )
    await refused([settings('all'), from(0)], 422, 'calls[1].ids[0].of')
    for (const into of ['source_addresses[1]', 'source_addresses', 'comment', 'constructor', 'source_addresses.length'])
      await refused([address('a'), at([{ into, of: 0 }])], 422, 'calls[1].ids[0].into')
    for (const into of ['__proto__', 'a[-1]', 'a[', '', 'a b', '[0]'])
      await refused([address('a'), at([{ into, of: 0 }])], 422, 'calls[1].ids[0].into')
    const twice = { into: 'source_addresses[0]', of: 0 }
    await refused([address('a'), at([twice, twice])], 422, 'calls[1].ids[1].into')
    await refused([address('a'), at([])], 422, 'calls[1].body.source_addresses[0]')
    // What is put there is checked as if it had been sent.
    const port: Call = { method: 'POST', path: '/aliases/ports', body: { title: 'p', comment: '', value: 4_711 } }
    await refused([port, from(0)], 422, 'calls[1].body.source_addresses[0]')
    // What depends on a refused call is not a second fault.
    await refused(
      [address('a', 'nowhere'), from(0), rule({ action: 'explode' })],
      422,
      'calls[0].body.value',
      'calls[2].body.action',
    )
    const zone = { name: 'once.test', servers: ['192.0.2.1'], comment: '', enabled: true }
    const add: Call = { method: 'POST', path: '/dns/zones/forward', body: zone }
    await refused([add, add, from(1)], 409, 'calls[1].body.name')
  })

  it('names its own items whatever others create at the same time', async () => {
    const value = (index: number): string => `198.51.100.${index}`
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 3 === 0
          ? admin('POST', '/aliases/ip_addresses', { title: `other ${index}`, comment: '', value: value(index) })
          : send([address(`own ${index}`, value(index)), from(0, { comment: value(index) })]),
      ),
    )
    // The third time that others create the same kind of item in between, the change is refused as a whole.
    for (const { status, text } of answers)
      assert.ok(status === 200 || (status === 409 && /send it again/.test(text)), text)
    const made = answers.filter(({ status, body }) => status === 200 && body.replies)
    assert.ok(made.length > 0)
    const addresses = (await admin('GET', '/aliases/ip_addresses')).body as { id: string; value: string }[]
    const values = new Map(addresses.map((one) => [one.id, one.value]))
    const stored = (await admin('GET', '/firewall/rules/forward')).body as { id: number; comment: string }[]
    for (const { body } of made) {
      const own = stored.find(({ id }) => id === body.replies[1].id) as unknown as {
        source_addresses: string[]
        comment: string
      }
      assert.equal(values.get(own.source_addresses[0] ?? ''), own.comment)
    }
  })

  it('knows only calls that change the configuration, and no other', async () => {
    const refusal = async (method: string, path: string, message: RegExp): Promise<void> => {
      const answer = await refused([rule(), { method, path, body: {} }], 422, 'calls[1].path')
      assert.match(answer.body.message, message)
    }
    for (const path of [
      '/nowhere',
      '',
      'firewall/settings',
      '/firewall/rules/forward/',
      '//firewall/settings',
      '/firewall/%zz',
    ])
      if (path !== '') await refusal('POST', path, /No call with this method and path/)
    await refusal('POST', '/firewall/explain', /No call|acts on more/)
    for (const path of ['/web/auth/login', '/config/confirm', '/config/keys/rotate', '/backup_backend/backups'])
      await refusal('POST', path, /acts on more than the configuration|No call/)
    for (const path of ['/config/changes', '/config/revisions/1/revert', '/config/revisions/1/undo'])
      await refusal('POST', path, /changes everything at once/)
    await refusal('PUT', '/license/license-upload', /is a file/)
    await refused([{ method: 'GET', path: '/firewall/settings' }], 422, 'calls[0].method')
    await refused([{ ...rule(), path: '/firewall/rules/forward?dry_run=true' }], 422, 'calls[0].path')
    await refused([{ ...rule(), path: '/firewall/rules/forward?__proto__=1' }], 422, 'calls[0].path')
    await refused([], 422, 'calls')
    await refused([{ ...rule(), reason: 'x' }], 422, 'calls[0].reason')
  })

  it('asks of each call what it asks by itself: role and fresh sign-in', async () => {
    const create: Call = { method: 'POST', path: '/web/admins/local', body: {} }
    const denied = await send([rule(), create], '', {}, firewall)
    assert.equal(denied.status, 403, denied.text)
    assert.match(denied.body.message, /^calls\[1\] \(POST \/web\/admins\/local\): /)
    assert.equal((await send([rule()], '', {}, firewall)).status, 200)
    for (const role of ['predefined_admin_readonly', 'predefined_reports_change'] as const)
      assert.equal((await send([rule()], '', {}, await gateway.client(role))).status, 403)
    assert.equal((await send([rule()], '', {}, await gateway.client(null))).status, 401)

    const old = await gateway.client('predefined_admin_write')
    gateway.clock.advance(freshSignInSeconds + 1)
    const limits: Call = { method: 'PATCH', path: '/config/history', body: { max_revisions: 5_000 } }
    const late = await send([rule(), limits], '', {}, old)
    assert.equal(late.status, 401, late.text)
    assert.match(late.body.message, /^calls\[1\] /)
    admin = await gateway.client('predefined_admin_write')
    firewall = await gateway.client('predefined_firewall_admin')
    assert.equal((await send([rule(), limits])).status, 200)
  })

  it('is refused when something was changed since it was read', async () => {
    const tagOf = async (path: string): Promise<string> => String((await admin('GET', path)).headers.etag)
    const [list, mode] = [await tagOf('/firewall/rules/forward'), await tagOf('/firewall/settings')]
    const calls = [
      { ...rule(), if_match: list },
      { ...settings('selected'), if_match: mode },
    ]
    assert.equal((await send(calls)).status, 200)
    const answer = await refused(calls, 412, 'calls[0].if_match')
    assert.equal(answer.body.code, 'precondition_failed')
    await refused([rule(), { ...settings('all'), if_match: '"firewall.settings-0"' }], 412, 'calls[1].if_match')
    await refused([{ ...settings('all'), if_match: list }], 412, 'calls[0].if_match')
    assert.equal((await send([settings('all')], '', { 'if-match': mode })).status, 412, 'the whole has no tag')
  })

  it('keeps what others change at the same time', async () => {
    const before = (await rules()).length
    const { revision } = gateway.engine
    const many = Array.from({ length: 200 }, () => rule())
    const answers = await Promise.all([
      send(many),
      ...Array.from({ length: 5 }, () => admin('POST', '/firewall/rules/forward', { action: 'drop' })),
      send(many.slice(0, 50)),
    ])
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const now = await rules()
    assert.equal(now.length, before + 255)
    assert.equal(new Set(now.map(({ id }) => id)).size, now.length)
    assert.equal(gateway.engine.revision, revision + 7)
  })

  it('takes two thousand rules as one revision, and not one more', async () => {
    const before = (await rules()).length
    const { revision } = gateway.engine
    const many = Array.from({ length: 2_000 }, (_, index) => rule({ comment: `rule ${index}` }))
    const answer = await send(many)
    assert.equal(answer.status, 200, answer.text.slice(0, 500))
    assert.equal(answer.body.replies.length, 2_000)
    assert.equal(gateway.engine.revision, revision + 1)
    const now = await rules()
    assert.deepEqual(
      now.slice(before).map(({ id, comment }) => [id, comment]),
      many.map((_, index) => [answer.body.replies[index].id, `rule ${index}`]),
    )
    await refused([...many, rule()], 422, 'calls')
    const wrong = await send(many.map(() => rule({ action: 'explode' })))
    assert.equal(wrong.status, 422)
    assert.equal(wrong.body.problems.length, 100)
    assert.equal(
      (
        await send(
          many.map((_, index) => ({
            method: 'DELETE',
            path: `/firewall/rules/forward/${answer.body.replies[index].id}`,
          })),
        )
      ).status,
      200,
    )
    assert.equal((await rules()).length, before)
  })

  it('refuses bodies that are too large, as a whole and for one call', async () => {
    const { revision } = gateway.engine
    assert.equal((await send([rule({ comment: 'x'.repeat(5 * 1024 * 1024) })])).status, 413)
    const one = await send([rule(), rule({ comment: 'x'.repeat(300 * 1024) })])
    assert.equal(one.status, 413, one.text)
    assert.match(one.body.message, /^calls\[1\] /)
    assert.equal(gateway.engine.revision, revision)
  })
})
