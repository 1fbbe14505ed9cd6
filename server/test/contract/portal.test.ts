// The portal over the interface and for its users: own sessions, own password, the live table and the journal.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { portalService } from '../../src/areas/portal/service.ts'
import { parseCsv } from '../support/csv.ts'
import { createPortalBench, localHost, type PortalBench, remoteHost, userPassword } from '../support/portal-calls.ts'

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))
const within = { 'portcullis-confirm-within': '60' }
const expired = { status: 'refused', reason: 'expired' }

describe('a user at the portal', () => {
  let bench: PortalBench
  before(async () => {
    bench = await createPortalBench()
    await bench.addUser('anna')
    await bench.addUser('boris')
  })
  after(() => bench.gateway.close())
  const tokenOf = async (login: string, address = localHost, password = userPassword): Promise<string> => {
    const result = await bench.signIn(login, password, address)
    assert.ok(result.status === 'signed_in', JSON.stringify(result))
    return result.token
  }

  it('sees what the gateway knows of a host, and why it is refused', async () => {
    const { actions, network, admin } = bench
    const nothing = {
      isEnforced: true,
      isAuthorized: false,
      user: null,
      isSignedIn: false,
      refusal: null,
      idleSeconds: null,
    }
    assert.deepEqual(await actions.host({ address: '10.10.0.33' }), nothing)
    await tokenOf('anna', '10.10.0.33')
    assert.deepEqual(await actions.host({ address: '10.10.0.33' }), {
      isEnforced: true,
      isAuthorized: true,
      user: { login: 'anna', name: 'Name of anna' },
      isSignedIn: true,
      refusal: null,
      idleSeconds: 900,
    })
    network.add({ userId: 'user.id.1', address: '10.10.0.34', state: 'over_limit' })
    assert.equal((await actions.host({ address: '10.10.0.34' })).refusal, 'over_limit')
    const id = await bench.addUser('denied', { enabled: true })
    const rule = {
      user_id: Number(id.replace('user.id.', '')),
      ip: '10.10.0.35',
      mac: null,
      comment: '',
      always_logged: false,
    }
    const added = await admin('POST', '/auth/rules', { ...rule, enabled: true })
    assert.equal(added.status, 200, added.text)
    assert.equal((await actions.host({ address: '10.10.0.35' })).refusal, 'denied')
    // A host that a rule lets through needs no sign-in, though it has sent nothing yet.
    await admin('POST', '/auth/rules', { ...rule, user_id: 1, ip: '10.10.0.37', enabled: true })
    assert.deepEqual(await actions.host({ address: '10.10.0.37' }), {
      ...nothing,
      isAuthorized: true,
      user: { login: 'anna', name: 'Name of anna' },
    })
    await admin('PATCH', '/auth/settings', { allow_internet_to_everyone: true })
    assert.equal((await actions.host({ address: '10.10.0.36' })).isAuthorized, true)
    await admin('PATCH', '/auth/settings', { allow_internet_to_everyone: false })
    network.sessions.length = 0
  })

  it('ends own sessions, also of other hosts, and none of other users', async () => {
    const { actions, network } = bench
    const [anna, boris] = [await tokenOf('anna'), await tokenOf('boris', '10.10.0.8')]
    const other = network.add({ userId: 'user.id.1', address: '10.10.0.9', type: 'mac' })
    const page = await actions.personal({ address: localHost, token: anna })
    assert.deepEqual(
      page?.sessions.map(({ address, isThis }) => [address, isThis]),
      [
        [localHost, true],
        ['10.10.0.9', false],
      ],
    )
    const foreign = network.ofUser('user.id.2')[0]?.id ?? ''
    assert.deepEqual(await actions.endSession({ address: localHost, token: anna, id: foreign }), expired)
    assert.deepEqual(await actions.endSession({ address: localHost, token: 'x', id: other.id }), expired)
    assert.deepEqual(await actions.endSession({ address: '10.10.0.8', token: boris, id: other.id }), expired)
    assert.deepEqual(await actions.endSession({ address: localHost, token: anna, id: other.id }), { status: 'done' })
    assert.deepEqual(
      network.ofUser('user.id.1').map(({ address }) => address),
      [localHost],
    )
    assert.equal(network.ofUser('user.id.2').length, 1)
  })

  it('signs out: the host when a sign-in authorized it, and never one that a rule did', async () => {
    const { actions, network } = bench
    const rule = network.add({ userId: 'user.id.1', address: '10.10.0.40', type: 'ip', ruleId: '1' })
    assert.deepEqual(await actions.signOut({ address: '10.10.0.40', token: null }), { status: 'done' })
    assert.ok(network.list().includes(rule))
    const token = await tokenOf('anna', '10.10.0.41')
    assert.deepEqual(await actions.signOut({ address: '10.10.0.41', token: null }), { status: 'done' })
    assert.equal(network.at('10.10.0.41'), undefined)
    assert.ok(await actions.personal({ address: localHost, token }), 'without the token the personal session stays')
    assert.deepEqual(await actions.signOut({ address: remoteHost, token }), { status: 'done' })
    assert.equal(await actions.personal({ address: localHost, token }), null)
  })

  it('changes the password with the current one, which ends sessions elsewhere', async () => {
    const { actions, network, gateway } = bench
    const [token, elsewhere] = [await tokenOf('boris', '10.10.0.8'), await tokenOf('boris', '10.10.0.10')]
    const change = (current: string, next: string, own = token) =>
      actions.changePassword({ address: '10.10.0.8', token: own, current, next })
    const next = 'granite window 77'
    assert.deepEqual(await change('wrong', next), { status: 'refused', reason: 'wrong' })
    const faults = {
      short: 'short',
      ['x'.repeat(129)]: 'long',
      [userPassword]: 'same',
      'my-boris-password': 'guessable',
    }
    for (const [weak, weakness] of Object.entries({ ...faults, password123: 'guessable' }))
      assert.deepEqual(await change(userPassword, weak), { status: 'refused', reason: 'weak', weakness })
    assert.deepEqual(await change(userPassword, next, 'x'), expired)
    network.calls.length = 0
    const { revision } = gateway.engine
    assert.deepEqual(await change(userPassword, next), { status: 'done' })
    assert.equal(gateway.engine.revision, revision + 1)
    assert.deepEqual(
      network.calls.filter((call) => call.startsWith('open')),
      ['open user.id.2 10.10.0.8'],
    )
    assert.ok(await actions.personal({ address: '10.10.0.8', token }), 'the session that changed it stays')
    assert.equal(await actions.personal({ address: '10.10.0.10', token: elsewhere }), null)
    assert.equal((await bench.signIn('boris')).status, 'refused')
    await tokenOf('boris', '10.10.0.8', next)
    const [revisionInfo] = (await bench.admin('GET', '/config/revisions?limit=1')).body
    assert.deepEqual([revisionInfo.author, revisionInfo.address], ['user boris', '10.10.0.8'])
  })

  it('is told to come again while nothing can change', async () => {
    const { actions, gateway, admin } = bench
    const token = await tokenOf('anna')
    const probation = await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: false }, within)
    assert.equal(probation.status, 200, probation.text)
    const args = { address: localHost, token, current: userPassword, next: 'granite window 78' }
    assert.deepEqual(await actions.changePassword(args), { status: 'refused', reason: 'busy', retrySeconds: 1 })
    gateway.engine.confirm()
    assert.ok(await actions.personal({ address: localHost, token }))
  })

  it('who guesses the current password is blocked', async () => {
    const { actions } = bench
    const address = '10.10.0.77'
    const token = await tokenOf('anna', address)
    const args = { address, token, current: 'x', next: 'granite window 79' }
    for (let turn = 0; turn < 6; turn++)
      assert.deepEqual(await actions.changePassword(args), { status: 'refused', reason: 'wrong' })
    const result = await actions.changePassword({ ...args, current: userPassword })
    assert.ok(result.status === 'refused' && result.reason === 'blocked')
  })
})

describe('the sessions of the portal', () => {
  let bench: PortalBench
  const path = '/user_cabinet_reports/auth_journal'
  const rows = async (query = '') => {
    const { status, body, text } = await bench.admin('GET', `${path}${query}`)
    assert.equal(status, 200, text)
    return body
  }
  const signIn = async (login: string, address: string): Promise<string> => {
    const result = await bench.signIn(login, userPassword, address)
    assert.ok(result.status === 'signed_in', JSON.stringify(result))
    return result.token
  }
  const countries: Readonly<Record<string, string>> = { '198.51.100.9': 'DE', '198.51.100.10': 'FR' }
  before(async () => {
    const status = () => ({ loaded: true, path: '', countries: 2, buildTime: null, messages: [] })
    bench = await createPortalBench({
      parts: { countries: { status, codeOf: (address) => countries[address] ?? '', spans: () => null } },
    })
    await bench.addUser('anna')
    await bench.addUser('boris', { name: 'Boris "the" <b>' })
  })
  after(() => bench.gateway.close())

  it('are listed while they are open, and ended by administrators of accounts', async () => {
    const { admin, gateway, actions } = bench
    const token = await signIn('anna', remoteHost)
    const { body } = await admin('GET', '/user_cabinet_backend/sessions')
    assert.deepEqual(body, [
      {
        id: body[0].id,
        user_id: 1,
        login: 'anna',
        name: 'Name of anna',
        ip: remoteHost,
        country_code: 'DE',
        status: 'authorized',
        start: 20_260_101_000_000,
      },
    ])
    await actions.personal({ address: localHost, token })
    assert.equal(
      (await admin('GET', '/user_cabinet_backend/sessions')).body[0].ip,
      localHost,
      'bound to the cookie alone',
    )
    const url = `/user_cabinet_backend/sessions/${body[0]?.id}`
    for (const role of ['predefined_admin_readonly', 'predefined_security_admin', 'predefined_reports_view'] as const)
      assert.equal((await (await gateway.client(role))('DELETE', url)).status, 403, role)
    gateway.clock.advance(100)
    assert.equal((await (await gateway.client('predefined_firewall_admin'))('DELETE', url)).status, 200)
    assert.equal((await admin('DELETE', url)).status, 404)
    assert.equal(await actions.personal({ address: remoteHost, token }), null)
    assert.deepEqual((await admin('GET', '/user_cabinet_backend/sessions')).body, [])
  })

  it('are in the journal, those that are open too', async () => {
    const { gateway } = bench
    await signIn('boris', '198.51.100.10')
    gateway.clock.advance(60)
    await signIn('anna', localHost)
    const { data, rows: count, ...rest } = await rows()
    assert.equal(count, 3)
    assert.deepEqual(Object.keys(rest), ['meta'])
    assert.deepEqual(data[2], {
      id: data[2].id,
      date_time: 20_260_101_000_000,
      user_id: 1,
      login: 'anna',
      name: 'Name of anna',
      group_name: 'All',
      domain_type: 'local',
      ip: remoteHost,
      country_name: 'Germany',
      country_code: 'DE',
      end: 20_260_101_000_140,
      time_online: 100,
    })
    assert.deepEqual([data[1].end, data[1].time_online, data[1].name], [0, 60, 'Boris "the" <b>'])
    assert.deepEqual([data[0].country_code, data[0].country_name], ['', ''])
  })

  it('are filtered, searched, sorted, paged and served as CSV', async () => {
    const logins = async (query: string): Promise<string[]> =>
      (await rows(query)).data.map(({ login }: { login: string }) => login)
    const filter = (column_name: string, operator: string, ...value: unknown[]): string =>
      `?filter=${json([{ items: [{ column_name, operator, value }], link_operator: 'and' }])}`
    assert.deepEqual(await logins(filter('login', 'equals', 'boris')), ['boris'])
    assert.deepEqual(await logins(filter('country_name', 'contains_any', 'germ', 'fra')), ['boris', 'anna'])
    assert.deepEqual(await logins(filter('country_name', 'not_contains_any', 'germ', 'fra')), ['anna'])
    assert.deepEqual(await logins(filter('end', 'greater', 0)), ['anna'])
    assert.deepEqual(await logins(filter('time_online', 'range', 90, 110)), ['anna'])
    assert.deepEqual(await logins(filter('date_time', 'date_range', 'today')), ['anna', 'boris', 'anna'])
    assert.deepEqual(await logins(filter('date_time', 'date_range', 'yesterday')), [])
    assert.deepEqual(await logins(filter('user_id', 'less_equal', 1)), ['anna', 'anna'])
    assert.deepEqual(await logins(`?search=${json([{ text: '"THE" <B', columns: ['name', 'ip'] }])}`), ['boris'])
    const sort = json([
      { field: 'login', direction: 'desc' },
      { field: 'date_time', direction: 'asc' },
    ])
    const ips = async (query: string) => (await rows(query)).data.map(({ ip }: { ip: string }) => ip)
    assert.deepEqual(await ips(`?sort=${sort}`), ['198.51.100.10', remoteHost, localHost])
    const page = await rows(`?sort=${sort}&limit=1&offset=1`)
    assert.deepEqual([page.data[0].ip, page.rows, page.rows_before_limit_at_least], [remoteHost, 1, 3])
    const csv = await bench.admin('GET', `${path}?format_type=CSV&sort=${sort}`)
    assert.match(String(csv.headers['content-type']), /^text\/csv/)
    const table = parseCsv(csv.text)
    assert.equal(table.length, 4)
    assert.deepEqual(table[1]?.slice(3, 5), ['boris', 'Boris "the" <b>'])
    const wrong = await bench.admin('GET', `${path}${filter('nope', 'equals', 1)}`)
    assert.equal(wrong.status, 422)
  })

  it('have distinct addresses and countries', async () => {
    const values = (await rows('/unique_values/ip')).data
    assert.deepEqual(values, [{ ip: localHost }, { ip: '198.51.100.10' }, { ip: remoteHost }])
    const {
      data,
      meta,
      rows: count,
      rows_before_limit_at_least: all,
    } = await rows('/unique_values/country_name?limit=1&offset=1')
    assert.deepEqual(
      [data, meta, count, all],
      [[{ country_name: 'Germany' }], [{ name: 'country_name', type: 'String' }], 1, 2],
    )
    assert.equal((await bench.admin('GET', `${path}/unique_values/login`)).status, 404)
  })

  it('end in the journal when their time is over, also when that was while the gateway was off', async () => {
    const { clock } = bench.gateway
    clock.advance(3_600)
    bench.gateway.services.of(portalService).sessions.endExpired()
    const { data } = await rows()
    assert.deepEqual([data[0].time_online, data[1].time_online], [900, 900])
    await signIn('anna', localHost)
    clock.boot = 'boot-2'
    clock.seconds = 10
    clock.wall += 500_000
    const gateway = await bench.gateway.restart()
    bench = { ...bench, gateway, admin: async (...call) => (await gateway.client('predefined_admin_write'))(...call) }
    const [last] = (await rows()).data
    assert.notEqual(last.end, 0)
  })
})
