// Ordered collections as declared with the helpers: placement, moves, ids that never come back, and concurrent writers.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sampleArea } from '../support/sample-area.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

describe('an ordered collection', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway({ extraAreas: [sampleArea] })
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const add = async (title: string, query = ''): Promise<number> => {
    const { status, body } = await admin('POST', `/sample/notes${query}`, { title, comment: '' })
    assert.equal(status, 200)
    return body.id
  }
  const titles = async (): Promise<string> =>
    (await admin('GET', '/sample/notes')).body.map((note: { title: string }) => note.title).join('')
  const clear = async (): Promise<void> => {
    for (const note of (await admin('GET', '/sample/notes')).body) await admin('DELETE', `/sample/notes/${note.id}`)
  }
  const move = (id: number, anchor_item_id: number, insert_after?: boolean) =>
    admin('PATCH', '/sample/notes/move', {
      params: { id, anchor_item_id, ...(insert_after === undefined ? {} : { insert_after }) },
    })

  it('appends without an anchor and places by it otherwise', async () => {
    const a = await add('a')
    await add('b')
    await add('c', `?anchor_item_id=${a}`)
    await add('d', `?anchor_item_id=${a}&insert_after=true`)
    await add('e', `?anchor_item_id=${a}&insert_after=false`)
    assert.equal(await titles(), 'eadcb')
    await clear()
  })

  it('moves right after the anchor or to its place', async () => {
    const [a, b, c] = [await add('a'), await add('b'), await add('c')]
    assert.equal((await move(a, c, true)).status, 200)
    assert.equal(await titles(), 'bca')
    await move(a, b, false)
    assert.equal(await titles(), 'abc')
    await move(c, a)
    assert.equal(await titles(), 'acb')
    assert.equal((await move(a, a, true)).status, 200)
    assert.equal(await titles(), 'acb')
    await clear()
  })

  it('names an unknown item or anchor', async () => {
    const a = await add('a')
    assert.equal((await move(999_999, a, true)).status, 404)
    const anchor = await move(a, 999_999, true)
    assert.equal(anchor.status, 422)
    assert.equal(anchor.body.problems[0].field, 'params.anchor_item_id')
    assert.equal((await admin('POST', '/sample/notes?anchor_item_id=999999', { title: 'x', comment: '' })).status, 422)
    assert.equal((await admin('PATCH', '/sample/notes/999999', { title: 'x' })).status, 404)
    assert.equal((await admin('DELETE', '/sample/notes/abc')).status, 404)
    await clear()
  })

  it('never gives an id twice, not even after a delete, a revert or a restart', async () => {
    const before = gateway.engine.revision
    const first = await add('a')
    await admin('DELETE', `/sample/notes/${first}`)
    await admin('POST', `/config/revisions/${before}/revert`)
    const second = await add('b')
    assert.ok(second > first)
    await clear()
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.ok((await add('c')) > second)
    await clear()
  })

  it('refuses what verify refuses and changes nothing', async () => {
    await admin('PATCH', '/sample/settings', { limit: 1 })
    await add('a')
    const revision = gateway.engine.revision
    const refused = await admin('POST', '/sample/notes', { title: 'b', comment: '' })
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.body.problems, [
      { field: 'sample.notes', message: 'At most 1 notes are allowed; there would be 2.' },
    ])
    assert.equal(gateway.engine.revision, revision)
    await admin('PATCH', '/sample/settings', { limit: 1_000 })
    await clear()
  })

  it('keeps every one of 1,000 concurrent edits of one list in some serial order', async () => {
    const anchor = await add('0')
    const made = await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => {
        const kind = index % 4
        if (kind < 2) return add('n', kind === 0 ? '' : `?anchor_item_id=${anchor}&insert_after=false`)
        const answer =
          kind === 2
            ? await move(anchor, anchor, true)
            : await admin('PATCH', `/sample/notes/${anchor}`, { comment: `${index}` })
        assert.equal(answer.status, 200)
        return null
      }),
    )
    const ids = made.filter((id) => id !== null)
    assert.equal(new Set(ids).size, ids.length)
    const kept = (await admin('GET', '/sample/notes')).body.map((note: { id: number }) => note.id)
    assert.deepEqual(
      [...kept].sort((a: number, b: number) => a - b),
      [anchor, ...ids].sort((a, b) => a - b),
    )
    const inMemory = await admin('GET', '/sample/notes')
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual((await admin('GET', '/sample/notes')).body, inMemory.body)
  })

  it('answers every change with its own tag, not with that of a later one', async () => {
    const answers = await Promise.all(
      [11, 12, 13].map((limit) => admin('PATCH', '/sample/settings', { limit: 800 + limit })),
    )
    const tags = answers.map(({ headers }) => headers.etag)
    assert.equal(new Set(tags).size, 3)
    assert.equal((await admin('GET', '/sample/settings')).headers.etag, tags.at(-1))
    assert.equal(
      (await admin('PATCH', '/sample/settings', { limit: 900 }, { 'if-match': String(tags[0]) })).status,
      412,
    )
  })

  it('loses no update when both writers use If-Match', async () => {
    const { etag } = (await admin('GET', '/sample/settings')).headers
    const answers = await Promise.all(
      [1, 2, 3, 4].map((limit) =>
        admin('PATCH', '/sample/settings', { limit: 900 + limit }, { 'if-match': String(etag) }),
      ),
    )
    assert.deepEqual(answers.map((a) => a.status).sort(), [200, 412, 412, 412])
  })
})
