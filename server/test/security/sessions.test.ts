// How long a session lives and what ends it: time, number, changes of the account, an administrator, and nothing else.
// Requirements 7, 8 and 67.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createCountryFile } from '../../src/areas/objects/runs/geoip.ts'
import { ask, cookieFrom, cookieOf } from '../contract/contract.ts'
import { writeDatabase } from '../support/mmdb-writer.ts'
import { type Client, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'

const minute = 60
const hour = 60 * minute

describe('a session', () => {
  let gateway: TestGateway
  let admin: Client
  let number = 0
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  const newAdmin = () => gateway.addAdministrator(`person-${++number}`, 'predefined_admin_write')
  const open = (id: string) => gateway.services.accounts.sessions.create(id, '127.0.0.1', '/')
  const status = async (cookie: string): Promise<number> =>
    (await ask(gateway, { method: 'GET', url: '/web/whoami', cookie })).status
  const renewAdmin = async (): Promise<void> => {
    admin = await gateway.client('predefined_admin_write')
  }

  it('ends after 15 minutes without a request', async () => {
    const cookie = cookieOf(open(await newAdmin()))
    for (let use = 0; use < 4; use++) {
      gateway.clock.advance(15 * minute - 1)
      assert.equal(await status(cookie), 200)
    }
    gateway.clock.advance(15 * minute)
    assert.equal(await status(cookie), 401)
    assert.equal(await status(cookie), 401)
    await renewAdmin()
  })

  it('is not prolonged by reads in the background, which end with it', async () => {
    const cookie = cookieOf(open(await newAdmin()))
    const background = { 'portcullis-background': '1' }
    const session = async (headers = {}) => {
      const { status: code, body } = await ask(gateway, { method: 'GET', url: '/web/session', cookie, headers })
      return { code, left: body.seconds_left, fresh: body.fresh_seconds_left }
    }
    assert.deepEqual(await session(), { code: 200, left: 15 * minute, fresh: 10 * minute })
    gateway.clock.advance(9 * minute)
    assert.deepEqual(await session(background), { code: 200, left: 6 * minute, fresh: minute })
    gateway.clock.advance(5 * minute)
    assert.deepEqual(await session(background), { code: 200, left: minute, fresh: 0 })
    assert.deepEqual(await session({ accept: 'text/event-stream' }), { code: 200, left: minute, fresh: 0 })
    assert.deepEqual(await session({ 'portcullis-background': 'yes' }), { code: 200, left: 15 * minute, fresh: 0 })
    gateway.clock.advance(15 * minute)
    assert.equal((await session(background)).code, 401)
    await renewAdmin()
  })

  it('is needed for the time zone, not for the name of the gateway', async () => {
    const cookie = cookieOf(open(await newAdmin()))
    const { body: outside } = await ask(gateway, { method: 'GET', url: '/web/console' })
    assert.deepEqual(Object.keys(outside).toSorted(), ['brand', 'certificate_sha256', 'host_name'])
    const { body: inside } = await ask(gateway, { method: 'GET', url: '/web/console', cookie })
    assert.deepEqual({ ...inside, time_zone: '' }, { ...outside, time_zone: '' })
    assert.equal(inside.time_zone, Intl.DateTimeFormat().resolvedOptions().timeZone)
  })

  it('is prolonged by what is not a read, whatever its header says', async () => {
    const cookie = cookieOf(open(await newAdmin()))
    const headers = { 'portcullis-background': '1' }
    gateway.clock.advance(14 * minute)
    const { status: code } = await ask(gateway, { method: 'DELETE', url: '/web/auth/blocks', cookie, headers })
    assert.equal(code, 200)
    gateway.clock.advance(14 * minute)
    assert.equal(await status(cookie), 200)
    await renewAdmin()
  })

  it('ends after 12 hours however busy it is', async () => {
    const cookie = cookieOf(open(await newAdmin()))
    for (let elapsed = 0; elapsed < 12 * hour - 10 * minute; elapsed += 10 * minute) {
      assert.equal(await status(cookie), 200, `after ${elapsed} s`)
      gateway.clock.advance(10 * minute)
    }
    assert.equal(await status(cookie), 200)
    gateway.clock.advance(10 * minute)
    assert.equal(await status(cookie), 401)
    await renewAdmin()
  })

  it('is one of ten: the eleventh ends the one that was idle longest, not the oldest', async () => {
    const id = await newAdmin()
    const cookies: string[] = []
    for (let made = 0; made < 10; made++) {
      gateway.clock.advance(1)
      cookies.push(cookieOf(open(id)))
    }
    gateway.clock.advance(1)
    for (const index of [0, 1, 2, 4]) assert.equal(await status(cookies[index] ?? ''), 200)
    gateway.clock.advance(1)
    cookies.push(cookieOf(open(id)))
    const statuses = await Promise.all(cookies.map(status))
    assert.deepEqual(statuses, [200, 200, 200, 401, ...Array(7).fill(200)])
  })

  it('survives a restart, with what is left of its time', async () => {
    const cookie = cookieOf(open(await newAdmin()))
    gateway.clock.advance(14 * minute)
    assert.equal(await status(cookie), 200)
    gateway.clock.advance(14 * minute)
    gateway = await gateway.restart()
    assert.equal(await status(cookie), 200)
    gateway.clock.advance(15 * minute)
    gateway = await gateway.restart()
    assert.equal(await status(cookie), 401)
    await renewAdmin()
  })

  it('does not survive a reboot, whose duration is unknown', async () => {
    const cookie = cookieOf(open(await newAdmin()))
    gateway.clock.boot = 'boot-2'
    gateway = await gateway.restart()
    assert.equal(await status(cookie), 401)
    await renewAdmin()
  })

  it('neither ends nor lives longer when the wall clock jumps', async () => {
    const cookie = cookieOf(open(await newAdmin()))
    const { clock } = gateway
    const wall = clock.wall
    for (const jump of [Date.UTC(1970, 0, 1), Date.UTC(2038, 0, 20), Date.UTC(2100, 0, 1), wall + 864e5, wall - 36e5]) {
      clock.wall = jump
      assert.equal(await status(cookie), 200, new Date(jump).toISOString())
    }
    clock.seconds += 15 * minute
    clock.wall = wall - 15 * minute * 1000
    assert.equal(await status(cookie), 401)
    clock.wall = wall
    await renewAdmin()
  })

  const causes: [title: string, cause: (id: string) => Promise<{ status: number }>][] = [
    ['a new password', (id) => admin('PATCH', `/web/admins/local/${id}`, { password: 'a new pass phrase' })],
    ['switching the account off', (id) => admin('PATCH', `/web/admins/local/${id}`, { enabled: false })],
    ['another role', (id) => admin('PATCH', `/web/admins/local/${id}`, { role: 'predefined_reports_view' })],
    ['deleting the account', (id) => admin('DELETE', `/web/admins/local/${id}`)],
    [
      'going back to a revision without the account',
      () => admin('POST', `/config/revisions/${gateway.engine.revision - 2}/revert`),
    ],
  ]
  for (const [title, cause] of causes) {
    it(`ends with ${title}: no request that starts afterwards is let in`, async () => {
      const id = await newAdmin()
      const cookies = [open(id), open(id)].map(cookieOf)
      const other = cookieOf(open(await newAdmin()))
      let isDone = false
      const late: number[] = []
      const storm = Array.from({ length: 50 }, async (_, index) => {
        for (let turn = 0; turn < index; turn++) await new Promise((resolve) => setImmediate(resolve))
        const startedAfter = isDone
        const answer = await status(cookies[index % 2] ?? '')
        if (startedAfter) late.push(answer)
      })
      const done = cause(id).then((answer) => {
        isDone = true
        return answer
      })
      const [answer] = await Promise.all([done, ...storm])
      assert.equal(answer.status, 200)
      for (const cookie of cookies) late.push(await status(cookie))
      assert.deepEqual([...new Set(late)], [401])
      if (!title.startsWith('going back')) assert.equal(await status(other), 200, 'others stay signed in')
      gateway = await gateway.restart()
      assert.equal(await status(cookies[0] ?? ''), 401, 'also after a restart')
      await renewAdmin()
    })
  }

  it('stays when something else about the account changes', async () => {
    const id = await newAdmin()
    const cookie = cookieOf(open(id))
    for (const body of [
      { comment: 'x' },
      { name: 'y' },
      { password: null },
      { enabled: true },
      { login: `new-${id}` },
    ]) {
      assert.equal((await admin('PATCH', `/web/admins/local/${id}`, body)).status, 200)
      assert.equal(await status(cookie), 200, JSON.stringify(body))
    }
  })

  it('ends with the second of two new passwords within one second, too', async () => {
    const id = await newAdmin()
    for (const password of ['first new phrase', 'second new phrase']) {
      const cookie = cookieOf(open(id))
      await admin('PATCH', `/web/admins/local/${id}`, { password })
      assert.equal(await status(cookie), 401, password)
    }
  })

  it('is listed without anything that opens it, and can be ended by its handle', async () => {
    const id = await newAdmin()
    const tokens = open(id)
    const { body, text } = await admin('GET', '/monitor_backend/admin_sessions')
    const listed = body.find((session: { admin_id: string }) => session.admin_id === id)
    const { id: handle, login_timestamp, ...rest } = listed
    assert.deepEqual(rest, {
      login: `person-${number}`,
      name: `person-${number}`,
      competence: ['admin_write', 'admin_read', 'allow_terminal', 'reports_view', 'reports_change'],
      role_id: 'predefined_admin_write',
      role_name: 'Administrator',
      domain_name: '',
      ip: '127.0.0.1',
      auth_type: 'local',
      auth_rule_id: '',
      admin_id: id,
      country_code: '',
    })
    assert.equal(login_timestamp, Number(gateway.clock.now().toISOString().replaceAll(/\D/g, '').slice(0, 14)))
    for (const secret of [tokens.session, tokens.secureName, tokens.secureValue]) assert.ok(!text.includes(secret))
    assert.equal((await admin('DELETE', `/monitor_backend/admin_sessions/${handle}`)).status, 200)
    assert.equal(await status(cookieOf(tokens)), 401)
    assert.equal((await admin('DELETE', `/monitor_backend/admin_sessions/${handle}`)).status, 404)
  })

  it('is listed with the country of its address, where there is a country database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-countries-'))
    writeFileSync(join(folder, 'geoip.mmdb'), writeDatabase([['127.0.0.0/8', 'DE']]))
    const countries = createCountryFile(join(folder, 'geoip.mmdb'), () => {})
    countries.refresh()
    const other = await createTestGateway({ parts: { countries } })
    const client = await other.client('predefined_admin_write')
    const { body } = await client('GET', '/monitor_backend/admin_sessions')
    assert.deepEqual([body[0].ip, body[0].country_code], ['127.0.0.1', 'DE'])
    await other.close()
    rmSync(folder, { recursive: true })
  })

  it('of another can be ended only with full access, one’s own by everyone', async () => {
    const viewer = await gateway.client('predefined_reports_view')
    const other = open(await newAdmin())
    for (const handle of [other.handle, 'no-such-session']) {
      assert.equal((await viewer('DELETE', `/monitor_backend/admin_sessions/${handle}`)).status, 403, handle)
    }
    assert.equal(await status(cookieOf(other)), 200)
    const own = (await admin('GET', '/monitor_backend/admin_sessions')).body.find(
      (session: { role_id: string }) => session.role_id === 'predefined_reports_view',
    )
    assert.equal((await viewer('DELETE', `/monitor_backend/admin_sessions/${own.id}`)).status, 200)
    assert.equal((await viewer('GET', '/web/whoami')).status, 401)
  })

  it('of an account that is off or gone opens nothing, should one be left', async () => {
    const id = await newAdmin()
    await admin('PATCH', `/web/admins/local/${id}`, { enabled: false })
    assert.equal(await status(cookieOf(open(id))), 401)
    assert.equal(await status(cookieOf(open(crypto.randomUUID()))), 401)
  })

  it('leaves no identifier in any file', async () => {
    await newAdmin()
    const body = { login: `person-${number}`, password: testPassword, rest_path: '/' }
    const cookie = cookieFrom(await ask(gateway, { method: 'POST', url: '/web/auth/login', body }))
    const values = cookie.split('; ').map((half) => half.split('=')[1] ?? '')
    gateway.services.audit.flush()
    const entries = readdirSync(gateway.folder, { recursive: true, withFileTypes: true })
    for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
      const bytes = readFileSync(join(parentPath, name))
      for (const value of values) assert.equal(bytes.indexOf(value.split(':')[0] ?? ''), -1, name)
    }
  })
})
