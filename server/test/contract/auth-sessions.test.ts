// Sessions of users through the API: the list, ending one, the status, and what changes of the configuration do to them
// before they are answered.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { neighbours } from '../support/user-sessions.ts'

const account = (login: string, name: string) => ({
  name,
  login,
  parent_id: 1,
  comment: '',
  psw: 'a password 1',
})

const rule = (user_id: number, fields: object) => ({
  enabled: true,
  ip: null,
  mac: null,
  user_id,
  always_logged: false,
  comment: '',
  ...fields,
})

describe('sessions of users', () => {
  let gateway: TestGateway
  let admin: Client
  let user = 0
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    user = (await admin('POST', '/user_backend/users', account('anna', `An"na' <b>`))).body.id
    gateway.applier.neighbourTable = neighbours(['10.10.0.7', '02:00:00:00:01:07'])
    await gateway.userSessions.maintain()
  })
  after(() => gateway.close())

  const sessions = async () => (await admin('GET', '/monitor_backend/auth_sessions')).body
  const addresses = async (): Promise<string[]> => (await sessions()).map(({ ip }: { ip: string }) => ip)

  it('are listed with their user, and ended with an audit record', async () => {
    await gateway.userSessions.openWeb(`user.id.${user}`, '10.10.0.7')
    gateway.clock.advance(90)
    const [session] = await sessions()
    assert.deepEqual(
      { ...session, id: '' },
      {
        id: '',
        user_id: user,
        login: 'anna',
        name: `An"na' <b>`,
        group_name: 'All',
        domain_type: 'local',
        type: 'web',
        ip: '10.10.0.7',
        mac: '02:00:00:00:01:07',
        state: 'connected',
        start: 20260101000000,
        time_online: 90,
        country_code: '',
        rule_id: null,
      },
    )
    for (const role of ['predefined_admin_readonly', 'predefined_reports_view', 'predefined_security_admin'] as const) {
      const reader = await gateway.client(role)
      assert.equal((await reader('DELETE', `/monitor_backend/auth_sessions/${session.id}`)).status, 403, role)
    }
    assert.deepEqual(await addresses(), ['10.10.0.7'])
    const ended = await admin('DELETE', `/monitor_backend/auth_sessions/${session.id}`)
    assert.equal(ended.status, 200, ended.text)
    assert.equal((await admin('DELETE', `/monitor_backend/auth_sessions/${session.id}`)).status, 404)
    assert.deepEqual(await addresses(), [])
    const { body } = await admin('GET', '/journal/records?limit=20')
    const text = JSON.stringify(body)
    assert.match(text, /The session of the user anna at 10\.10\.0\.7 was ended\./)
  })

  it('write lines of the system journal', async () => {
    const { body } = await admin('GET', '/logs_backend/logs')
    const lines = body.data.filter(({ unit }: { unit: string }) => unit.endsWith('-web-authd'))
    assert.deepEqual(lines.map(({ message }: { message: string }) => message).sort(), [
      "Subnet 10.10.0.7/32 is authorized as user 'anna'. Connection made from '10.10.0.7', type 'web'.",
      "Subnet 10.10.0.7/32 is no longer authorized as user 'anna'. The session was ended.",
    ])
  })

  it('follow a change of the configuration before it is answered', async () => {
    const id = (await admin('POST', '/user_backend/users', account('boris', 'Boris'))).body.id
    const made = await admin('POST', '/auth/rules', rule(id, { ip: '10.10.0.8', always_logged: true }))
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(await addresses(), ['10.10.0.8'])
    await gateway.userSessions.openWeb(`user.id.${id}`, '10.10.0.9')
    const password = await admin('PUT', `/user_backend/change_password/${id}`, { password: 'another 12' })
    assert.equal(password.status, 200, password.text)
    assert.deepEqual(await addresses(), ['10.10.0.8'])
    await gateway.userSessions.openWeb(`user.id.${id}`, '10.10.0.9')
    assert.equal((await admin('DELETE', `/user_backend/users/${id}`)).status, 200)
    assert.deepEqual(await addresses(), [])
  })

  it('never keep a change from being made', async () => {
    await gateway.userSessions.openWeb(`user.id.${user}`, '10.10.0.7')
    gateway.log.expect(/the kernel does not follow the sessions of users/)
    const { applier } = gateway
    const changeLive = applier.changeLive
    applier.changeLive = async () => {
      throw new Error('away')
    }
    const password = await admin('PUT', `/user_backend/change_password/${user}`, { password: 'another 13' })
    assert.equal(password.status, 200, password.text)
    applier.changeLive = changeLive
    const { body } = await admin('GET', '/auth/status')
    const kernel = body.find(({ name }: { name: string }) => name === 'kernel')
    assert.deepEqual([kernel.status, kernel.msg.at(-1)], ['failed', 'away'])
    gateway.clock.advance(2)
    await gateway.userSessions.maintain()
    assert.deepEqual(await addresses(), [])
    assert.deepEqual(applier.cuts.at(-1), { host: '10.10.0.7' })
  })

  it('are not enforced until the administrator says so, which the status shows', async () => {
    const item = async () =>
      (await admin('GET', '/auth/status')).body.find(({ name }: { name: string }) => name === 'authorization')
    assert.deepEqual(await item(), {
      name: 'authorization',
      status: 'inactive',
      msg: [
        'Authorization is not enforced: every host reaches external networks. ' +
          'Turn off allow_internet_to_everyone to enforce it.',
      ],
    })
    assert.equal((await admin('PATCH', '/auth/settings', { allow_internet_to_everyone: false })).status, 200)
    assert.deepEqual(await item(), { name: 'authorization', status: 'active', msg: [] })
  })
})

describe('authorization rules for networks', () => {
  let gateway: TestGateway
  let admin: Client
  let [one, two] = [0, 0]
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    one = (await admin('POST', '/user_backend/users', account('one', 'One'))).body.id
    two = (await admin('POST', '/user_backend/users', account('two', 'Two'))).body.id
  })
  after(() => gateway.close())
  const create = (user: number, fields: object) => admin('POST', '/auth/rules', rule(user, fields))

  it('have no host bits, no MAC and are not always authorized', async () => {
    for (const [fields, field] of [
      [{ ip: '10.20.0.1/24' }, 'ip'],
      [{ ip: '10.20.0.0/33' }, 'ip'],
      [{ ip: '10.20.0.0/0' }, 'ip'],
      [{ ip: '10.20.0.0/255.255.255.0' }, 'ip'],
      [{ ip: '10.20.0.0/24', mac: '02:00:00:00:00:01' }, 'mac'],
      [{ ip: '10.20.0.0/24', always_logged: true }, 'always_logged'],
    ] as const) {
      const { status, body } = await create(one, fields)
      assert.equal(status, 422, JSON.stringify(fields))
      assert.equal(body.problems[0].field, field)
    }
  })

  it('overlap neither each other nor addresses of other users', async () => {
    assert.equal((await create(one, { ip: '10.20.0.0/24' })).status, 200)
    assert.equal((await create(one, { ip: '10.20.0.5' })).status, 200, 'an address of the same user')
    assert.equal((await create(two, { ip: '10.20.0.6' })).status, 409)
    assert.equal((await create(one, { ip: '10.20.0.128/25' })).status, 409)
    assert.equal((await create(two, { ip: '10.20.1.9' })).status, 200)
    const { status, body } = await create(one, { ip: '10.20.1.0/24' })
    assert.equal(status, 409)
    assert.match(body.message, /10\.20\.1\.9/)
  })
})
