// Profiles of application control: created, copied, changed in both forms, removed when no firewall rule uses them.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { applications } from '../../src/areas/application-profiles/config.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const path = '/api/application_control/profiles'

describe('profiles of application control', () => {
  let gateway: TestGateway
  let admin: Client
  let id = ''
  const fields = {
    name: 'Office',
    comment: 'c',
    protocols: [
      { id: 'id.l7.bittorrent', action: 'deny' },
      { id: 'id.l7.unknown', action: 'allow' },
    ],
  }
  const list = async () => (await admin('GET', path)).body
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_firewall_admin')
  })
  after(() => gateway.close())

  it('are answered as a list of one when they are made', async () => {
    const { status, body } = await admin('POST', path, fields)
    assert.equal(status, 200)
    id = body[0].id
    assert.deepEqual(body, [{ id, ...fields }])
    assert.deepEqual(await list(), body)
  })

  it('are changed by a list of one and by a plain object', async () => {
    assert.equal((await admin('PATCH', `${path}/${id}`, [{ ...fields, name: 'Lab' }])).status, 200)
    assert.equal((await list())[0].name, 'Lab')
    assert.equal((await admin('PATCH', `${path}/${id}`, { comment: '' })).status, 200)
    assert.deepEqual(await list(), [{ id, ...fields, name: 'Lab', comment: '' }])
    for (const body of [[], [{}, {}], [{ nope: 1 }], ['x']]) {
      assert.equal((await admin('PATCH', `${path}/${id}`, body)).status, 422, JSON.stringify(body))
    }
    assert.equal((await admin('PATCH', `${path}/none`, {})).status, 404)
  })

  it('name an application once, by an id of its form', async () => {
    const [first] = fields.protocols
    const cases = [
      { protocols: [first, first], field: 'protocols[1].id' },
      { protocols: [{ id: 'bittorrent', action: 'deny' }], field: 'protocols[0].id' },
      { protocols: [{ id: 'id.l7.dns', action: 'drop' }], field: 'protocols[0].action' },
    ]
    for (const { protocols, field } of cases) {
      for (const answer of [
        await admin('POST', path, { ...fields, protocols }),
        await admin('PATCH', `${path}/${id}`, { protocols }),
      ]) {
        assert.equal(answer.status, 422)
        assert.ok(
          answer.body.problems.some((problem: { field: string }) => problem.field === field),
          answer.text,
        )
      }
    }
  })

  it('are copied and removed', async () => {
    const copy = (await admin('POST', `${path}/${id}/copy`)).body.id
    assert.notEqual(copy, id)
    const [original, copied] = await list()
    assert.deepEqual({ ...copied, id }, original)
    assert.equal((await admin('DELETE', `${path}/${copy}`)).status, 200)
    assert.equal((await list()).length, 1)
    assert.equal((await admin('DELETE', `${path}/${copy}`)).status, 404)
    assert.equal((await admin('POST', `${path}/${copy}/copy`)).status, 404)
  })

  it('may have a long name: the specification sets no limit', async () => {
    const long = { ...fields, name: 'x'.repeat(255) }
    const { status, body } = await admin('POST', path, long)
    assert.equal(status, 200)
    assert.equal((await admin('POST', path, { ...long, name: 'x'.repeat(256) })).status, 422)
    assert.equal((await admin('DELETE', `${path}/${body[0].id}`)).status, 200)
  })

  it('stay while a firewall rule uses them, and over a restart', async () => {
    const rule = await admin('POST', '/firewall/rules/input', { action: 'accept', dpi_enabled: true, dpi_profile: id })
    assert.equal(rule.status, 200, rule.text)
    const refused = await admin('DELETE', `${path}/${id}`)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.problems[0].field, `firewall.input[${rule.body.id}].dpi_profile`)
    const before = await list()
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_firewall_admin')
    assert.deepEqual(await list(), before)
    await admin('DELETE', `/firewall/rules/input/${rule.body.id}`)
    assert.equal((await admin('DELETE', `${path}/${id}`)).status, 200)
    assert.deepEqual(await list(), [])
  })

  it('know 421 applications, each with its own id and among the objects', async () => {
    const { body } = await admin('GET', '/aliases/all')
    assert.deepEqual(
      body.filter(({ type }: { type: string }) => type === 'l7'),
      applications.map(({ id: application, name }) => ({ id: application, title: name, comment: '', type: 'l7' })),
    )
    assert.equal(new Set(applications.map((one) => one.id)).size, 421)
    assert.ok(applications.every((one) => /^id\.l7\.[a-z0-9_]{1,64}$/.test(one.id)))
  })
})
