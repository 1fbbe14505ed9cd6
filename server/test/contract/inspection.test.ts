// What profiles do without the engine, and what the engine does now. Packets are in test/netns.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const template = '__DEFAULT_IPS_PROFILE_ID__'

interface Shown {
  readonly id: string
  readonly kind: string
  readonly on_failure: string
  readonly state: string
}

describe('inspection', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const profiles = async (): Promise<Shown[]> => (await admin('GET', '/inspection/profiles')).body
  const failureOf = async (id: string): Promise<string | undefined> =>
    (await profiles()).find((profile) => profile.id === id)?.on_failure

  it('lists the profiles of both kinds, which let traffic pass at first', async () => {
    const { body } = await admin('POST', '/api/application_control/profiles', {
      name: 'Games',
      comment: '',
      protocols: [],
    })
    assert.deepEqual(await profiles(), [
      { id: template, kind: 'ips', name: 'Template', on_failure: 'pass', rules: 0, state: 'unused' },
      { id: body[0].id, kind: 'application', name: 'Games', on_failure: 'pass', rules: 0, state: 'unused' },
    ])
  })

  it('keeps what a profile does without the engine, also over a restart, and forgets it with the profile', async () => {
    const { id } = (await admin('POST', '/ips/profiles', { name: 'Own', comment: '' })).body
    for (const profile of [id, template]) {
      const { status } = await admin('PATCH', `/inspection/profiles/${profile}`, { on_failure: 'block' })
      assert.equal(status, 200)
    }
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual([await failureOf(id), await failureOf(template)], ['block', 'block'])
    await admin('PATCH', `/inspection/profiles/${template}`, { on_failure: 'pass' })
    assert.deepEqual([await failureOf(id), await failureOf(template)], ['block', 'pass'])
    assert.equal((await admin('DELETE', `/ips/profiles/${id}`)).status, 200)
    assert.equal(await failureOf(id), undefined)
    assert.deepEqual(gateway.engine.config['inspection.failures'], [])
  })

  it('knows no other profile and no other behaviour', async () => {
    assert.equal((await admin('PATCH', '/inspection/profiles/other', { on_failure: 'block' })).status, 404)
    const { status, body } = await admin('PATCH', `/inspection/profiles/${template}`, { on_failure: 'maybe' })
    assert.equal(status, 422)
    assert.equal(body.problems[0].field, 'on_failure')
  })

  it('says that nothing is inspected while nothing is', async () => {
    const { body } = await admin('GET', '/inspection/channels')
    assert.deepEqual(body, {
      state: 'off',
      message: '',
      generation: null,
      signatures: null,
      rules: null,
      failed: [],
      version: null,
      channels: [],
      counters: {},
      refused: 0,
      uninspected: null,
      sentences: [],
    })
  })
})
