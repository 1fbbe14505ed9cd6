// POST /config/revisions/:revision_id/undo: takes back what one revision changed and nothing else, or names who changed it since.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { freshSignInSeconds } from '../../src/core/contract/endpoint.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const table = '/firewall/rules/forward'

describe('undo of one revision', () => {
  let gateway: TestGateway
  let admin: Client
  let other: Client
  before(async () => {
    gateway = await createTestGateway()
  })
  beforeEach(async () => {
    admin = await gateway.client('predefined_admin_write')
    other = await gateway.client('predefined_firewall_admin')
    for (const { id } of await rules()) done(await admin('DELETE', `${table}/${id}`))
  })
  after(() => gateway.close())

  const rules = async (): Promise<{ id: number; comment: string; enabled: boolean }[]> =>
    (await admin('GET', table)).body
  const comments = async (): Promise<string[]> => (await rules()).map(({ comment }) => comment)
  const done = (answer: Answer): number => {
    assert.equal(answer.status, 200, answer.text)
    return Number(answer.headers['portcullis-revision'])
  }
  const add = async (comment: string): Promise<{ id: number; revision: number }> => {
    const answer = await admin('POST', table, { action: 'drop', comment })
    return { revision: done(answer), id: answer.body.id }
  }
  const undo = (revision: number | string, query = ''): Promise<Answer> =>
    admin('POST', `/config/revisions/${revision}/undo${query}`)
  const refused = async (revision: number, field: string, message: RegExp): Promise<void> => {
    const { revision: head } = gateway.engine
    const answer = await undo(revision)
    assert.equal(answer.status, 409, answer.text)
    assert.deepEqual(
      answer.body.problems.map((problem: { field: string }) => problem.field),
      [field],
    )
    assert.match(answer.body.problems[0].message, message)
    assert.equal(gateway.engine.revision, head)
  }

  it('takes fields back and keeps what came later', async () => {
    const [a, b] = [await add('a'), await add('b')]
    const wanted = done(await admin('PATCH', `${table}/${a.id}`, { comment: 'changed' }))
    done(await admin('PATCH', `${table}/${a.id}`, { enabled: false }))
    done(await admin('PATCH', `${table}/${b.id}`, { comment: 'later' }))
    const head = gateway.engine.revision
    const tried = await undo(wanted, '?dry_run=true')
    assert.deepEqual(tried.body.changes, [
      {
        object: `firewall.forward[${a.id}]`,
        action: 'changed',
        fields: [{ field: 'comment', before: 'changed', after: 'a' }],
      },
    ])
    assert.equal(gateway.engine.revision, head)
    assert.equal(done(await undo(wanted)), head + 1)
    assert.deepEqual(
      (await rules()).map(({ comment, enabled }) => [comment, enabled]),
      [
        ['a', false],
        ['later', true],
      ],
    )
    done(await undo(head + 1))
    assert.deepEqual(await comments(), ['changed', 'later'], 'an undo can be undone')
  })

  it('removes what was added, brings back what was removed and where it stood, and moves back', async () => {
    const ids: number[] = []
    for (const comment of ['a', 'b', 'c', 'd']) ids.push((await add(comment)).id)
    const removed = done(await admin('DELETE', `${table}/${ids[1]}`))
    const added = await add('new')
    done(await admin('PATCH', `${table}/${ids[3]}`, { comment: 'D' }))
    done(await undo(removed))
    assert.deepEqual(await comments(), ['a', 'b', 'c', 'D', 'new'])
    done(await undo(added.revision))
    assert.deepEqual(await comments(), ['a', 'b', 'c', 'D'])
    const moved = done(
      await admin('PATCH', `${table}/move`, { params: { id: ids[0], anchor_item_id: ids[3], insert_after: true } }),
    )
    assert.deepEqual(await comments(), ['b', 'c', 'D', 'a'])
    await add('last')
    done(await undo(moved))
    assert.deepEqual(await comments(), ['a', 'b', 'c', 'D', 'last'])
    const first = done(await admin('DELETE', `${table}/${ids[0]}`))
    done(await undo(first))
    assert.deepEqual(await comments(), ['a', 'b', 'c', 'D', 'last'])
  })

  it('takes settings back', async () => {
    done(await admin('PATCH', '/firewall/settings', { log_mode: 'all' }))
    const wanted = done(await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' }))
    done(await undo(wanted))
    assert.equal((await admin('GET', '/firewall/settings')).body.log_mode, 'all')
    const { revision } = gateway.engine
    done(await undo(wanted))
    assert.equal(gateway.engine.revision, revision, 'nothing is left to take back')
  })

  it('is refused with the object and its author where a later change touched the same', async () => {
    const a = await add('a')
    const object = `firewall.forward[${a.id}]`
    const wanted = done(await admin('PATCH', `${table}/${a.id}`, { comment: 'mine' }))
    done(await other('PATCH', `${table}/${a.id}`, { comment: 'theirs' }))
    done(await admin('PATCH', `${table}/${a.id}`, { enabled: false }))
    await refused(wanted, `${object}.comment`, /changed by of-predefined_firewall_admin in revision \d+/)
    await refused(a.revision, object, /changed by of-predefined_admin_write/)
    done(await other('DELETE', `${table}/${a.id}`))
    await refused(wanted, object, /removed by of-predefined_firewall_admin/)
    const { revision } = gateway.engine
    done(await undo(a.revision))
    assert.equal(gateway.engine.revision, revision, 'what was added is gone already')
  })

  it('is refused where the result would not hold', async () => {
    const made = await admin('POST', '/aliases/ip_addresses', { title: 'used', comment: '', value: '192.0.2.1' })
    const wanted = done(made)
    done(await admin('POST', table, { action: 'drop', source_addresses: [made.body.id] }))
    const answer = await undo(wanted)
    assert.equal(answer.status, 422, answer.text)
  })

  it('knows revisions that exist, and who may undo them', async () => {
    const { revision } = await add('a')
    for (const wrong of ['0', '999999', 'x', '-1', '9'.repeat(20)]) assert.equal((await undo(wrong)).status, 404, wrong)
    assert.equal((await other('POST', `/config/revisions/${revision}/undo`)).status, 403)
    gateway.clock.advance(freshSignInSeconds + 1)
    assert.equal((await undo(revision)).status, 401)
  })
})
