// Rules over time: order and ids stay right whatever is done to them, two administrators lose nothing, hits are counted, and
// text of an administrator never reaches the kernel.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { render } from '../../src/areas/firewall/render.ts'
import { least, path, type Table, tables } from '../support/firewall-samples.ts'
import { type Answer, type Client, createTestGateway, labFacts, type TestGateway } from '../support/test-gateway.ts'

const steps = process.env.PORTCULLIS_NIGHTLY === '1' ? 1_000 : 250

describe('firewall rules', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
  })
  after(() => gateway.close())

  const list = async (table: Table): Promise<{ id: number; [field: string]: unknown }[]> =>
    (await admin('GET', path(table))).body
  const add = async (table: Table, fields: object = {}, query = ''): Promise<number> => {
    const answer = await admin('POST', path(table) + query, { ...least[table], ...fields })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const clear = async (table: Table): Promise<void> => {
    for (const { id } of await list(table)) assert.equal((await admin('DELETE', `${path(table)}/${id}`)).status, 200)
  }
  const assertRefused = (answer: Answer, field: string): void => {
    assert.equal(answer.status, 422, answer.text)
    assert.equal(answer.body.problems[0].field, field)
  }
  /** What of the configuration goes to the kernel. */
  const rendered = (): string => JSON.stringify(render(gateway.engine.config, labFacts))

  it(`stay in the order of ${steps} random inserts, moves and deletes, and no id comes back`, async () => {
    let seed = 20_260_101
    const draw = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const model: number[] = []
    const given = new Set<number>()
    for (let step = 0; step < steps; step++) {
      const anchor = model[draw(model.length)]
      const isAfter = draw(2) === 0
      const kind = draw(10)
      if (anchor === undefined || kind < 5) {
        const query = anchor === undefined ? '' : `?anchor_item_id=${anchor}&insert_after=${isAfter}`
        const id = await add('input', {}, kind === 0 ? '' : query)
        assert.ok(!given.has(id), `${id} came back`)
        given.add(id)
        const at = anchor === undefined || kind === 0 ? model.length : model.indexOf(anchor) + (isAfter ? 1 : 0)
        model.splice(at, 0, id)
      } else if (kind < 8) {
        const id = model[draw(model.length)] ?? anchor
        const params = { id, anchor_item_id: anchor, insert_after: isAfter }
        assert.equal((await admin('PATCH', '/firewall/rules/input/move', { params })).status, 200)
        if (id !== anchor) {
          model.splice(model.indexOf(id), 1)
          model.splice(model.indexOf(anchor) + (isAfter ? 1 : 0), 0, id)
        }
      } else {
        assert.equal((await admin('DELETE', `/firewall/rules/input/${anchor}`)).status, 200)
        model.splice(model.indexOf(anchor), 1)
      }
    }
    const order = async (): Promise<number[]> => (await list('input')).map(({ id }) => id)
    assert.deepEqual(await order(), model)
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_firewall_admin')
    assert.deepEqual(await order(), model)
    assert.ok(!given.has(await add('input')))
    await clear('input')
  })

  it('of two administrators who write at once are all there', async () => {
    const other = await gateway.client('predefined_admin_write')
    const anchor = await add('forward', { comment: 'anchor' })
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const who = index % 2 === 0 ? admin : other
        const fields = { ...least.forward, comment: `${index}` }
        return who('POST', `${path('forward')}?anchor_item_id=${anchor}&insert_after=${index % 4 < 2}`, fields)
      }),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const ids = answers.map(({ body }) => body.id)
    assert.equal(new Set(ids).size, 200)
    const stored = await list('forward')
    assert.deepEqual(
      stored.map(({ id }) => id).sort((a, b) => a - b),
      [anchor, ...ids].sort((a, b) => a - b),
    )
    for (const [index, id] of ids.entries()) assert.equal(stored.find((rule) => rule.id === id)?.comment, `${index}`)
    await Promise.all(stored.map(({ id }) => admin('DELETE', `${path('forward')}/${id}`)))
    assert.deepEqual(await list('forward'), [])
  })

  const hostile = [
    '"; drop table inet portcullis; #',
    "' } chain x { accept } {",
    '\\" comment "firewall.forward[1]',
    '$(reboot) `reboot` | reboot & reboot',
    '</script><script>alert(1)</script>',
    '"'.repeat(255),
    '{'.repeat(255),
    ';'.repeat(255),
    '\u202egnp.exe',
  ]
  it('keep hostile text as it is, and nothing of it reaches the kernel', async () => {
    for (const table of tables) {
      const id = await add(table)
      const plain = rendered()
      for (const comment of hostile) {
        assert.equal((await admin('PATCH', `${path(table)}/${id}`, { comment })).status, 200, comment)
        assert.equal((await list(table))[0]?.comment, comment)
        assert.equal(rendered(), plain)
      }
      await clear(table)
    }
  })

  it('refuse control characters in text, and hostile text where an id belongs', async () => {
    const id = await add('forward')
    const before = await list('forward')
    for (const comment of ['a\nb', 'a\r', '\u0000', '\u2028', '\u009b'])
      assertRefused(await admin('PATCH', `${path('forward')}/${id}`, { comment }), 'comment')
    for (const text of [...hostile, 'ip.id.1\n', 'any ', ' any', 'ANY', 'ip.id.01', 'ip.id.1;']) {
      for (const [field, value] of [
        ['source_addresses', [text]],
        ['incoming_interface', text],
        ['protocol', text],
        ['timetable', [text]],
      ] as const) {
        const answer = await admin('PATCH', `${path('forward')}/${id}`, { [field]: value })
        assert.equal(answer.status, 422, `${field} ${text}`)
        assert.ok(answer.body.problems[0].field.startsWith(field))
      }
    }
    assert.deepEqual(await list('forward'), before)
    await clear('forward')
  })

  it('are counted, also after a restart of the gateway and of the kernel', async () => {
    const ids = [await add('forward'), await add('forward')]
    const { hitCounts } = gateway.applier
    hitCounts.set(`firewall.forward[${ids[1]}]`, 7)
    const counters = async () => (await admin('GET', '/firewall/counters/forward')).body
    gateway.clock.advance(2)
    const expected = [
      { id: ids[0], packets: 0 },
      { id: ids[1], packets: 7 },
    ]
    assert.deepEqual(await counters(), expected)
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_firewall_admin')
    gateway.clock.advance(2)
    assert.deepEqual(await counters(), expected)
    for (const table of tables) {
      const shown = (await admin('GET', `/firewall/counters/${table}`)).body
      assert.deepEqual(
        shown.map(({ id }: { id: number }) => id),
        (await list(table)).map(({ id }) => id),
      )
    }
    await clear('forward')
    assert.deepEqual(await counters(), [])
  })

  it('are counted in one call for all tables, and then only what changed', async () => {
    const ids = [await add('forward'), await add('forward')]
    const input = await add('input')
    const { hitCounts } = gateway.applier
    const ask = async (query = '') => {
      gateway.clock.advance(2)
      const { status, body } = await admin('GET', `/firewall/counters${query}`)
      assert.equal(status, 200)
      return body
    }
    hitCounts.set(`firewall.forward[${ids[0]}]`, 3)
    const first = await ask()
    assert.equal(first.complete, true)
    const shown = first.counters.find(
      ({ table, id }: { table: string; id: number }) => table === 'forward' && id === ids[0],
    )
    assert.equal(shown.packets, 3)
    assert.equal(typeof shown.last_hit, 'number')
    const quiet = await ask(`?since=${first.cursor}`)
    assert.deepEqual([quiet.complete, quiet.counters], [false, []])
    hitCounts.set(`firewall.input[${input}]`, 5)
    const news = await ask(`?since=${quiet.cursor}`)
    assert.deepEqual(
      news.counters.map(({ table, id, packets }: Record<string, unknown>) => [table, id, packets]),
      [['input', input, 5]],
    )
    assert.deepEqual((await ask(`?since=${quiet.cursor}&table=forward`)).counters, [])
    assert.equal((await ask('?since=of-another-start.7')).complete, true)
    assert.equal((await admin('GET', '/firewall/counters?since=%20')).status, 422)
    await clear('forward')
    await clear('input')
  })

  it('are counted unless that is switched off', async () => {
    assert.deepEqual((await admin('GET', '/firewall/watch')).body, { enabled: true })
    const id = await add('forward')
    const counted = rendered()
    assert.equal((await admin('PATCH', '/firewall/watch', { enabled: false })).status, 200)
    assert.deepEqual((await admin('GET', '/firewall/watch')).body, { enabled: false })
    assert.notEqual(rendered(), counted)
    assert.match(rendered(), new RegExp(`firewall\\.forward\\[${id}\\]`))
    await admin('PATCH', '/firewall/watch', { enabled: true })
    assert.equal(rendered(), counted)
    await clear('forward')
  })
})
