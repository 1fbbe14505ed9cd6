// Authority is asked at the moment of the act: anyone who lost session, role or account while a request was on its way changes
// nothing, whether the rest of the body was missing or the change waited for its turn.
// Requirement 7.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { administrators, findByLogin } from '../../src/areas/administrators/config.ts'
import { backupsService } from '../../src/areas/backup/service.ts'
import { defineArea, handle } from '../../src/core/area/handle.ts'
import { type Endpoint, endpoint, nameOf } from '../../src/core/contract/endpoint.ts'
import { read } from '../../src/core/model/slots.ts'
import { cookieOf, fillPath, protectedEndpoints } from '../contract/contract.ts'
import { sample, schemaOf } from '../contract/samples.ts'
import { gate } from '../support/gate.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

const withBody = protectedEndpoints.filter(({ body, rawBodyType }) => body !== null || rawBodyType !== null)

const form = (content: string): string =>
  `--x\r\nContent-Disposition: form-data; name="backup_file"; filename="a"\r\n\r\n${content}\r\n--x--\r\n`

const bodyOf = (endpoint: Endpoint): Buffer =>
  Buffer.from(endpoint.body ? JSON.stringify(sample(schemaOf(endpoint.body))) : form('not a backup'))

interface Armed {
  /** The handler of the body has begun to read: the headers were accepted. */
  readonly isRead: Promise<void>
  /** Sends the last byte. */
  finish(): Promise<{ readonly status: number; readonly code: string }>
}

/** A request whose last byte is missing. */
function arm(gateway: TestGateway, cookie: string, method: string, url: string, body: Buffer, type: string): Armed {
  const reading = gate()
  const payload = new Readable({ read: () => reading.open() })
  payload.push(body.subarray(0, -1))
  const headers = { host: 'gateway.test', cookie, 'content-type': type, 'content-length': String(body.length) }
  const answer = gateway.http.inject({ method: method as 'POST', url, headers, payload })
  return {
    isRead: reading.opened,
    finish: async () => {
      payload.push(body.subarray(-1))
      payload.push(null)
      const { statusCode, body: text } = await answer
      return { status: statusCode, code: statusCode < 400 || text === '' ? '' : JSON.parse(text).code }
    },
  }
}

const unauthenticated = { status: 401, code: 'unauthenticated' }
/** A gateway that was not installed as a package says so without reading the package. */
const refusedUnread = new Map([['PUT /sysupdate/iso-upload', { status: 409, code: 'conflict' }]])

const json = 'application/json'
const typeOf = ({ rawBodyType }: Endpoint): string =>
  rawBodyType === 'multipart/form-data' ? `${rawBodyType}; boundary=x` : (rawBodyType ?? json)

describe('H3: a request that was armed before its session ended', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await createTestGateway()
    await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const newSession = () => {
    const admin = findByLogin(gateway.engine.config, 'of-predefined_admin_write')
    return gateway.services.accounts.sessions.create(admin?.id ?? '', '127.0.0.1', '/')
  }
  const state = (): string =>
    JSON.stringify([
      gateway.engine.revision,
      gateway.services.of(backupsService).list(),
      gateway.database.prepare('SELECT count(*) AS n FROM sessions').get(),
    ])

  it('is a list of all endpoints with a body', () => assert.ok(withBody.length > 100, String(withBody.length)))

  for (const endpoint of withBody) {
    it(`does nothing at ${nameOf(endpoint)}`, async () => {
      const tokens = newSession()
      const url = fillPath(endpoint.path)
      const armed = arm(gateway, cookieOf(tokens), endpoint.method, url, bodyOf(endpoint), typeOf(endpoint))
      await armed.isRead
      gateway.services.accounts.sessions.end(tokens.handle)
      const before = state()
      assert.deepEqual(await armed.finish(), refusedUnread.get(nameOf(endpoint)) ?? unauthenticated)
      assert.equal(state(), before)
    })
  }

  it('would have been let in otherwise', async () => {
    for (const endpoint of withBody.filter(({ effect }) => effect !== 'configuration')) {
      const url = fillPath(endpoint.path)
      const armed = arm(gateway, cookieOf(newSession()), endpoint.method, url, bodyOf(endpoint), typeOf(endpoint))
      await armed.isRead
      assert.notEqual((await armed.finish()).status, 401, nameOf(endpoint))
    }
  })

  it('is recorded with the name of the one who sent it', async () => {
    // Those above were too many for a record each.
    gateway.clock.advance(61)
    const tokens = newSession()
    const armed = arm(gateway, cookieOf(tokens), 'PATCH', '/firewall/settings', Buffer.from('{"log_mode":"all"}'), json)
    await armed.isRead
    gateway.services.accounts.sessions.end(tokens.handle)
    await armed.finish()
    gateway.services.audit.flush()
    const [last] = gateway.database.prepare('SELECT * FROM audit ORDER BY rowid DESC LIMIT 1').all()
    assert.match(JSON.stringify(last), /of-predefined_admin_write/)
    assert.match(JSON.stringify(last), /PATCH \/firewall\/settings/)
  })
})

describe('H3: an action that waits for something', () => {
  const action = (path: string) =>
    endpoint({ method: 'POST', path, access: 'signed-in', effect: 'action', summary: 'Wait and act' })
  const later = () => new Promise<void>((resolve) => setImmediate(resolve))
  const area = defineArea({
    name: 'late',
    slots: [],
    routes: [
      handle(action('/late/asks'), async ({ requireAuthority }) => {
        await later()
        requireAuthority()
      }),
      handle(action('/late/forgets'), later),
    ],
  })

  it('is answered 500 by a test gateway unless it asks again before it acts', async () => {
    const gateway = await createTestGateway({ extraAreas: [area], expectedLog: [/a request failed/] })
    const admin = await gateway.client('predefined_admin_write')
    assert.equal((await admin('POST', '/late/asks')).status, 200)
    assert.equal((await admin('POST', '/late/forgets')).status, 500)
    const late = admin('POST', '/late/asks')
    await new Promise<void>((resolve) => process.nextTick(resolve))
    for (const { handle: session } of gateway.services.accounts.sessions.list())
      gateway.services.accounts.sessions.end(session)
    assert.equal((await late).status, 401)
    await gateway.close()
  })
})

describe('H3: a removed administrator', () => {
  let gateway: TestGateway
  let admin: Client
  let number = 0
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const newcomer = async () => {
    const login = `leaver-${++number}`
    const id = await gateway.addAdministrator(login, 'predefined_admin_write')
    const cookie = cookieOf(gateway.services.accounts.sessions.create(id, '127.0.0.1', '/'))
    return { id, login, cookie }
  }
  const call = async (cookie: string, method: string, url: string, body?: unknown) => {
    const headers = { host: 'gateway.test', cookie }
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    return (await gateway.http.inject({ method: method as 'POST', url, headers, ...payload })).statusCode
  }
  const backdoor = (login: string) => ({
    enabled: true,
    name: 'Back door',
    login,
    password: 'a long pass phrase',
    role: 'predefined_admin_write',
    comment: '',
  })
  const logins = (): string[] => read(gateway.engine.config, administrators).map(({ login }) => login)

  it('adds no other one with a request that was armed before', async () => {
    const { id, cookie } = await newcomer()
    const body = Buffer.from(JSON.stringify(backdoor('back-door')))
    const armed = arm(gateway, cookie, 'POST', '/web/admins/local', body, json)
    await armed.isRead
    assert.equal((await admin('PATCH', `/web/admins/local/${id}`, { enabled: false })).status, 200)
    assert.equal((await admin('DELETE', `/web/admins/local/${id}`)).status, 200)
    assert.deepEqual(await armed.finish(), { status: 401, code: 'unauthenticated' })
    assert.ok(!logins().includes('back-door'))
  })

  const causes: [title: string, cause: (id: string) => Promise<unknown>][] = [
    ['removal', (id) => admin('DELETE', `/web/admins/local/${id}`)],
    ['disabling', (id) => admin('PATCH', `/web/admins/local/${id}`, { enabled: false })],
    ['demotion', (id) => admin('PATCH', `/web/admins/local/${id}`, { role: 'predefined_reports_view' })],
    [
      'disabling and enabling',
      (id) =>
        Promise.all([
          admin('PATCH', `/web/admins/local/${id}`, { enabled: false }),
          admin('PATCH', `/web/admins/local/${id}`, { enabled: true }),
        ]),
    ],
  ]
  for (const [title, cause] of causes) {
    it(`changes nothing that waits behind the ${title} in the same commit`, async () => {
      const { id, cookie } = await newcomer()
      const { revision } = gateway.engine
      const ended = cause(id)
      const late = Array.from({ length: 5 }, (_, index) =>
        call(cookie, 'PATCH', '/firewall/settings', { log_mode: index % 2 ? 'all' : 'nothing' }),
      )
      await ended
      const statuses = await Promise.all(late)
      assert.deepEqual([...new Set(statuses)], [401])
      const later = gateway.engine.listRevisions(gateway.engine.revision - revision, 0)
      assert.deepEqual([...new Set(later.map((one) => one.author))], ['of-predefined_admin_write'])
    })
  }

  it('changes nothing that the checkers of the engines were looking at', async () => {
    const { id, cookie } = await newcomer()
    const { handle } = gateway.services.accounts.sessions.list().find((one) => one.adminId === id) ?? { handle: '' }
    const [checking, mayEnd] = [gate(), gate()]
    const { check } = gateway.applier
    gateway.applier.check = async (plan) => {
      checking.open()
      await mayEnd.opened
      return check.call(gateway.applier, plan)
    }
    const { revision } = gateway.engine
    const rule = sample(
      schemaOf(protectedEndpoints.find((e) => nameOf(e) === 'POST /firewall/rules/forward')?.body ?? {}),
    )
    const late = call(cookie, 'POST', '/firewall/rules/forward', rule)
    await checking.opened
    gateway.services.accounts.sessions.end(handle)
    mayEnd.open()
    assert.equal(await late, 401)
    assert.equal(gateway.engine.revision, revision)
    gateway.applier.check = check
  })

  it('stores no backup that was being gathered', async () => {
    const { id, cookie } = await newcomer()
    const making = call(cookie, 'POST', '/backup/backups', { comment: 'late' })
    assert.equal((await admin('DELETE', `/web/admins/local/${id}`)).status, 200)
    assert.equal(await making, 401)
    assert.deepEqual(gateway.services.of(backupsService).list(), [])
  })

  it('reverts no change on probation with a call that waited for its turn', async () => {
    const { id, cookie } = await newcomer()
    const waiting = { 'portcullis-confirm-within': '600' }
    assert.equal((await admin('PATCH', '/firewall/settings', { log_mode: 'all' }, waiting)).status, 200)
    const late = call(cookie, 'DELETE', '/config/confirm')
    const { handle } = gateway.services.accounts.sessions.list().find((one) => one.adminId === id) ?? { handle: '' }
    gateway.services.accounts.sessions.end(handle)
    assert.equal(await late, 401)
    assert.equal((await admin('POST', '/config/confirm')).status, 200)
  })
})
