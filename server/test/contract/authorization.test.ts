// Authorization rules and device discovery: what a rule needs, whom it may name, and which addresses follow from it.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { userAddresses } from '../../src/areas/authorization/resolve.ts'
import { type Answer, type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const fieldsOf = (answer: Answer): string[] => answer.body.problems.map((problem: { field: string }) => problem.field)

describe('authorization rules', () => {
  let gateway: TestGateway
  let admin: Client
  let user = 0
  let number = 0
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    user = await addUser('holder')
  })
  after(() => gateway.close())

  const addUser = async (login: string, parent_id: unknown = 1): Promise<number> => {
    const body = { name: login, login, psw: 'wooden bridge 31', parent_id, comment: '' }
    const { status, body: made, text } = await admin('POST', '/user_backend/users', body)
    assert.equal(status, 200, text)
    return made.id
  }
  const changeUser = async (id: number, changes: Record<string, unknown>): Promise<void> => {
    const all = (await admin('GET', '/user_backend/users')).body
    const { id: _own, ...rest } = all.find((one: { id: string }) => one.id === `user.id.${id}`)
    assert.equal((await admin('PUT', `/user_backend/users/${id}`, { ...rest, ...changes })).status, 200)
  }
  const fields = (changes: Record<string, unknown> = {}) => ({
    enabled: true,
    ip: `10.1.0.${++number}`,
    mac: null,
    user_id: user,
    always_logged: false,
    comment: '',
    ...changes,
  })
  const create = async (changes: Record<string, unknown> = {}): Promise<string> => {
    const { status, body, text } = await admin('POST', '/auth/rules', fields(changes))
    assert.equal(status, 200, text)
    return body.id
  }
  const list = async (): Promise<Record<string, unknown>[]> => (await admin('GET', '/auth/rules')).body

  it('are created, listed in their order, changed and removed', async () => {
    const sent = fields({ mac: '02:00:00:AA:bb:01', always_logged: true, comment: 'desk' })
    const { body } = await admin('POST', '/auth/rules', sent)
    const second = await create({ ip: null, mac: '02:00:00:00:00:02' })
    const rules = await list()
    assert.deepEqual(rules[0], { id: body.id, ...sent, mac: '02:00:00:aa:bb:01' })
    assert.equal(rules[1]?.id, second)
    const patch = { enabled: false, ip: '10.1.1.1', mac: null, always_logged: false, comment: 'moved' }
    assert.equal((await admin('PATCH', `/auth/rules/${body.id}`, patch)).status, 200)
    assert.deepEqual((await list())[0], { id: body.id, user_id: user, ...patch })
    for (const id of [body.id, second]) assert.equal((await admin('DELETE', `/auth/rules/${id}`)).status, 200)
    assert.deepEqual(await list(), [])
    assert.equal((await admin('DELETE', `/auth/rules/${second}`)).status, 404)
    assert.equal((await admin('PATCH', `/auth/rules/${second}`, { comment: '' })).status, 404)
  })

  it('keep their user from becoming one of a RADIUS server', async () => {
    const id = await addUser('stays-local')
    const rule = await create({ user_id: id })
    const all = (await admin('GET', '/user_backend/users')).body
    const { id: _own, ...rest } = all.find((one: { id: string }) => one.id === `user.id.${id}`)
    const change = (changes: object) => admin('PUT', `/user_backend/users/${id}`, { ...rest, ...changes })
    assert.equal((await change({ comment: 'x' })).status, 200)
    assert.equal((await change({ domain_type: 'radius' })).status, 422)
    assert.equal((await admin('DELETE', `/auth/rules/${rule}`)).status, 200)
    assert.equal((await change({ domain_type: 'radius' })).status, 200)
  })

  it('need an address, one to be always authorized by, and a user who may have them', async () => {
    const radius = await addUser('from-radius')
    await changeUser(radius, { domain_type: 'radius' })
    const id = await create()
    for (const [changes, named] of [
      [{ ip: null }, ['ip']],
      [{ ip: null, always_logged: true }, ['ip', 'always_logged']],
      [{ ip: null, mac: '02:00:00:00:00:03', always_logged: true }, ['always_logged']],
      [{ user_id: 999_999 }, ['user_id']],
      [{ user_id: radius }, ['user_id']],
      [{ user_id: 999_999, ip: null }, ['user_id', 'ip']],
    ] as const) {
      for (const answer of [
        await admin('POST', '/auth/rules', fields(changes)),
        await admin('PATCH', `/auth/rules/${id}`, changes),
      ]) {
        assert.deepEqual([answer.status, fieldsOf(answer)], [422, named])
      }
    }
    await admin('DELETE', `/auth/rules/${id}`)
  })

  it('have addresses of the right form only', async () => {
    for (const ip of ['', '10.0.0', '10.0.0.256', '010.0.0.1', '10.0.0.1/32', '::1', '10.0.0.1\n', 1]) {
      const answer = await admin('POST', '/auth/rules', fields({ ip }))
      assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['ip']], String(ip))
    }
    for (const mac of ['', '02:00:00:00:00', '02-00-00-00-00-01', '02:00:00:00:00:0g', '020000000001']) {
      const answer = await admin('POST', '/auth/rules', fields({ mac }))
      assert.deepEqual([answer.status, fieldsOf(answer)], [422, ['mac']], mac)
    }
  })

  it('are not made twice for the same addresses', async () => {
    const both = { ip: '10.2.0.1', mac: '02:00:00:00:00:0a' }
    const ids = [await create({ ip: '10.2.0.1' }), await create(both)]
    const again = await admin('POST', '/auth/rules', fields({ ...both, mac: '02:00:00:00:00:0A' }))
    assert.deepEqual([again.status, fieldsOf(again)], [409, ['ip', 'mac']])
    const changed = await admin('PATCH', `/auth/rules/${ids[1]}`, { mac: null })
    assert.deepEqual([changed.status, fieldsOf(changed)], [409, ['ip']])
    for (const id of ids) await admin('DELETE', `/auth/rules/${id}`)
  })

  it('give their addresses to the user and to every group around', async () => {
    const outer = (await admin('POST', '/user_backend/groups', { name: 'outer', parent_id: 1 })).body.id
    const inner = (await admin('POST', '/user_backend/groups', { name: 'inner', parent_id: outer })).body.id
    const [deep, flat] = [await addUser('deep', inner), await addUser('flat')]
    const always = { always_logged: true }
    const addresses = () => Object.fromEntries(userAddresses(gateway.engine.config))
    assert.deepEqual(addresses(), {})
    const ids = [
      await create({ ip: '10.3.0.1', user_id: deep, ...always }),
      await create({ ip: '10.3.0.2', user_id: flat, ...always }),
      await create({ ip: '10.3.0.3', mac: '02:00:00:00:00:0b', user_id: deep, ...always }),
      await create({ ip: '10.3.0.4', user_id: deep }),
      await create({ ip: '10.3.0.5', user_id: deep, enabled: false, ...always }),
      // The address has a user already, and the rule that names the card comes first.
      await create({ ip: '10.3.0.3', user_id: flat }),
      await create({ ip: null, mac: '02:00:00:00:00:0c', user_id: flat }),
    ]
    const ofDeep = ['10.3.0.3', '10.3.0.1', '10.3.0.4']
    assert.deepEqual(addresses(), {
      [`user.id.${deep}`]: ofDeep,
      [`group.id.${inner}`]: ofDeep,
      [`group.id.${outer}`]: ofDeep,
      'group.id.1': [...ofDeep, '10.3.0.2'],
      [`user.id.${flat}`]: ['10.3.0.2'],
    })
    const { config } = gateway.engine
    assert.equal(userAddresses(config), userAddresses(config))
    await changeUser(deep, { enabled: true })
    assert.deepEqual(addresses(), { 'group.id.1': ['10.3.0.2'], [`user.id.${flat}`]: ['10.3.0.2'] })
    for (const id of ids) await admin('DELETE', `/auth/rules/${id}`)
    assert.deepEqual(addresses(), {})
  })

  it('are all there after a restart', async () => {
    await create({ always_logged: true })
    await create({ ip: null, mac: '02:00:00:00:00:0d' })
    const before = await list()
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.equal(before.length, 2)
    assert.deepEqual(await list(), before)
  })
})

describe('device discovery', () => {
  it('keeps its settings, and its group with them', async () => {
    let gateway = await createTestGateway()
    let admin = await gateway.client('predefined_admin_write')
    const url = '/netscan_backend/settings'
    assert.deepEqual((await admin('GET', url)).body, { enabled: false, group_id: 1, networks: [] })
    const { id } = (await admin('POST', '/user_backend/groups', { name: 'found', parent_id: 1 })).body
    const settings = { enabled: true, group_id: id, networks: ['192.168.0.0/24', '10.0.0.0/8'] }
    assert.equal((await admin('PATCH', url, settings)).status, 200)
    for (const [patch, field] of [
      [{ group_id: 999 }, 'group_id'],
      [{ group_id: 2 }, 'group_id'],
      [{ networks: ['192.168.0.0'] }, 'networks[0]'],
      [{ networks: ['10.0.0.0/8', '192.168.0.0/33'] }, 'networks[1]'],
      [{ networks: ['10.0.0.0/8', '10.0.0.0/8'] }, 'networks'],
    ] as const) {
      const answer = await admin('PATCH', url, patch)
      assert.deepEqual([answer.status, fieldsOf(answer)], [422, [field]])
    }
    const refused = await admin('DELETE', `/user_backend/groups/${id}`)
    assert.equal(refused.status, 409)
    assert.deepEqual(fieldsOf(refused), ['device_discovery.settings.group_id'])
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    assert.deepEqual((await admin('GET', url)).body, settings)
    assert.equal((await admin('PATCH', url, { group_id: 1 })).status, 200)
    assert.equal((await admin('DELETE', `/user_backend/groups/${id}`)).status, 200)
    await gateway.close()
  })
})
