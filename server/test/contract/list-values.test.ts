// Single values of lists over the interface: what is added and removed, what is refused, and what it costs on the way.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { linesOf } from '../../src/core/plan/nft-piece.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const base = '/aliases/ip_address_lists'

describe('values of a list', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
  })
  after(() => gateway.close())

  const create = async (path: string, body: object): Promise<string> => {
    const { status, text, body: reply } = await admin('POST', path, { title: 'List', ...body })
    assert.equal(status, 200, text)
    return reply.id
  }
  const valuesOf = async (path: string, id: string): Promise<readonly string[]> =>
    (await admin('GET', path)).body.find((item: { id: string }) => item.id === id).values

  it('are added last and removed wherever they are, and the reply counts them', async () => {
    const id = await create(base, { values: ['10.0.0.1', '10.0.0.2', '10.0.0.3'] })
    const call = (body: object) => admin('PATCH', `${base}/${id}/values`, body)
    assert.deepEqual((await call({ add: ['10.0.0.9', '10.1.0.0/16'] })).body, { added: 2, removed: 0 })
    assert.deepEqual((await call({ remove: ['10.0.0.2'] })).body, { added: 0, removed: 1 })
    assert.deepEqual(await valuesOf(base, id), ['10.0.0.1', '10.0.0.3', '10.0.0.9', '10.1.0.0/16'])
    assert.deepEqual((await call({ add: ['10.0.0.5'], remove: ['10.0.0.3', '10.1.0.0/16'] })).body, {
      added: 1,
      removed: 2,
    })
    assert.deepEqual(await valuesOf(base, id), ['10.0.0.1', '10.0.0.5', '10.0.0.9'])
  })

  it('can be sent twice: what is there is not added, what is not there is not removed, and no revision is made', async () => {
    const id = await create(base, { values: ['10.0.0.1', '10.0.0.1', '10.0.0.2'] })
    const call = (body: object) => admin('PATCH', `${base}/${id}/values`, body)
    const { revision } = gateway.engine
    for (const body of [{ add: ['10.0.0.1', '10.0.0.2'] }, { remove: ['10.0.0.7'] }, { add: [], remove: [] }, {}])
      assert.deepEqual((await call(body)).body, { added: 0, removed: 0 })
    assert.equal(gateway.engine.revision, revision)
    assert.deepEqual((await call({ add: ['10.0.0.3', '10.0.0.3'] })).body, { added: 1, removed: 0 })
    assert.deepEqual((await call({ remove: ['10.0.0.1', '10.0.0.1'] })).body, { added: 0, removed: 2 })
    assert.deepEqual(await valuesOf(base, id), ['10.0.0.2', '10.0.0.3'])
  })

  it('that are wrong are refused with their place, and nothing is changed', async () => {
    const id = await create(base, { values: ['10.0.0.1'] })
    const { revision } = gateway.engine
    for (const [body, field] of [
      [{ add: ['10.0.0.2', '10.0.0.300'] }, 'add[1]'],
      [{ add: ['10.0.0.2', '10.0.0.0/33', 7] }, 'add[1]'],
      [{ remove: ['x'] }, 'remove[0]'],
      [{ add: ['10.0.0.3'], remove: ['10.0.0.1', '10.0.0.3'] }, 'add[0]'],
      [{ add: Array.from({ length: 10_001 }, () => '10.0.0.4') }, 'add'],
      [{ values: [] }, 'values'],
    ] as const) {
      const { status, body: reply } = await admin('PATCH', `${base}/${id}/values`, body)
      assert.equal(status, 422)
      assert.equal(reply.problems[0].field, field)
    }
    assert.equal((await admin('PATCH', `${base}/ip_address_list.id.999/values`, { add: ['10.0.0.4'] })).status, 404)
    assert.equal(gateway.engine.revision, revision)
  })

  it('of other lists must be objects that exist', async () => {
    const addresses = '/aliases/lists/addresses'
    const one = await create('/aliases/ip_addresses', { value: '192.0.2.1' })
    const two = await create('/aliases/networks', { value: '192.0.2.0/24' })
    const id = await create(addresses, { values: [one] })
    const { status, body } = await admin('PATCH', `${addresses}/${id}/values`, { add: [two, 'ip.id.999', 'port.id.1'] })
    assert.equal(status, 422)
    assert.deepEqual(
      body.problems.map(({ field }: { field: string }) => field),
      ['add[2]'],
    )
    const unknown = await admin('PATCH', `${addresses}/${id}/values`, { add: [two, 'ip.id.999'] })
    assert.deepEqual(
      unknown.body.problems.map(({ field }: { field: string }) => field),
      ['add[1]'],
    )
    assert.deepEqual((await admin('PATCH', `${addresses}/${id}/values`, { add: [two, one] })).body, {
      added: 1,
      removed: 0,
    })
    assert.deepEqual(await valuesOf(addresses, id), [one, two])
    assert.equal((await admin('DELETE', `/aliases/networks/${two}`)).status, 409)
  })

  it('respect If-Match', async () => {
    const id = await create(base, { values: ['10.0.0.1'] })
    const { headers } = await admin('GET', base)
    const call = (value: string) =>
      admin('PATCH', `${base}/${id}/values`, { add: [value] }, { 'if-match': String(headers.etag) })
    assert.equal((await call('10.0.0.2')).status, 200)
    assert.equal((await call('10.0.0.3')).status, 412)
  })

  it('of a long list change one part of its set, one stored splice, and an audit record of one value', async () => {
    const values = Array.from({ length: 20_000 }, (_, at) => `20.${at >> 8}.${at & 255}.7`)
    const id = await create(base, { values })
    assert.equal(
      (await admin('POST', '/firewall/rules/forward', { action: 'drop', source_addresses: [id] })).status,
      200,
    )
    const setIn = () =>
      gateway.applier.applied?.artifacts
        .flatMap((artifact) => (artifact.kind === 'nft' ? artifact.pieces : []))
        .find(({ name }) => name === `h_${id.replaceAll('.', '_')}`) ?? assert.fail('there is no hash set')
    const old = setIn()
    const kept = new Set(old.parts)
    assert.deepEqual((await admin('PATCH', `${base}/${id}/values`, { add: ['21.0.0.1'] })).body, {
      added: 1,
      removed: 0,
    })
    const set = setIn()
    assert.equal(set.parts.filter((part) => !kept.has(part)).length, 1)
    assert.equal(linesOf(set).length, 20_001)
    const splices = gateway.database.prepare('SELECT body FROM item_splices').all()
    assert.equal(splices.length, 1)
    assert.ok(String(splices[0]?.body).length < 300)
    const { body: revision } = await admin('GET', `/config/revisions/${gateway.engine.revision}`)
    assert.deepEqual(revision.changes[0].fields, [
      { field: 'values', before: [], after: ['21.0.0.1'], at: 20_000, unchanged: 20_000 },
    ])
    const expected = await valuesOf(base, id)
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_firewall_admin')
    assert.deepEqual(await valuesOf(base, id), expected)
    assert.equal(setIn().hash, set.hash)
  })

  it('cannot be more than a list can have', async () => {
    const values = Array.from({ length: 99_999 }, (_, at) => `30.${at >> 16}.${(at >> 8) & 255}.${at & 255}`)
    const id = await create(base, { values })
    const call = (add: readonly string[]) => admin('PATCH', `${base}/${id}/values`, { add })
    assert.equal((await call(['31.0.0.1', '31.0.0.2'])).body.problems[0].field, 'add')
    assert.equal((await call(['31.0.0.1'])).status, 200)
    assert.equal((await call(['31.0.0.2'])).status, 422)
  })
})
