// Signing in at the portal: who gets in, what others learn, and what guessing costs.
// Requirement 3.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { portalService } from '../../src/areas/portal/service.ts'
import { users } from '../../src/areas/users/config.ts'
import { GatewayError } from '../../src/core/contract/error.ts'
import { read, write } from '../../src/core/model/slots.ts'
import { say } from '../../src/shared/said.ts'
import { createPortalBench, localHost, type PortalBench, remoteHost, userPassword } from '../support/portal-calls.ts'

const wrong = { status: 'refused', reason: 'wrong' }
const tokenOf = (result: object): string => {
  assert.ok('token' in result && typeof result.token === 'string', JSON.stringify(result))
  return result.token
}

describe('signing in at the portal', () => {
  let bench: PortalBench
  before(async () => {
    bench = await createPortalBench()
    await bench.addUser('anna')
    await bench.addUser('boris', { enabled: true })
    await bench.addUser('carl', { domain_type: 'radius' })
    await bench.addUser('dora', { domain_type: 'ad', domain_name: 'corp.example', password_hash: null })
  })
  after(() => bench.gateway.close())

  it('authorizes the host in a local network and opens the personal pages', async () => {
    const { actions, network } = bench
    const token = tokenOf(await bench.signIn(' anna'.trim().toUpperCase()))
    assert.deepEqual(network.calls, ['open user.id.1 10.10.0.7'])
    const page = await actions.personal({ address: localHost, token })
    assert.deepEqual(page, {
      login: 'anna',
      name: 'Name of anna',
      sessions: [
        {
          id: network.sessions[0]?.id,
          type: 'web',
          address: localHost,
          state: 'connected',
          startedAt: network.sessions[0]?.startedAt,
          isThis: true,
        },
      ],
      canChangePassword: true,
    })
    assert.deepEqual(await actions.signOut({ address: localHost, token }), { status: 'done' })
    assert.deepEqual(network.sessions, [])
    assert.equal(await actions.personal({ address: localHost, token }), null)
  })

  it('from elsewhere opens the personal pages alone, and nothing without the personal portal', async () => {
    const { network, actions } = bench
    network.calls.length = 0
    const token = tokenOf(await bench.signIn('anna', userPassword, remoteHost))
    assert.deepEqual(network.calls, [])
    assert.equal((await actions.personal({ address: remoteHost, token }))?.login, 'anna')
    await bench.set({ enabled: false })
    assert.deepEqual(await bench.signIn('anna', userPassword, remoteHost), { status: 'refused', reason: 'denied' })
    tokenOf(await bench.signIn('anna'))
    await bench.admin('PATCH', '/auth/settings', { allow_internet_to_everyone: true })
    assert.deepEqual(await bench.signIn('anna'), { status: 'refused', reason: 'denied' })
    await bench.admin('PATCH', '/auth/settings', { allow_internet_to_everyone: false })
    await bench.set({ enabled: true })
  })

  it('answers unknown logins, wrong passwords and accounts of another origin alike', async () => {
    let host = 1
    for (const [login, password] of [
      ['anna', 'wrong password 1'],
      ['nobody', userPassword],
      ['carl', userPassword],
      ['dora', userPassword],
      ['dora@corp.example', userPassword],
      ['anna@radius', userPassword],
      ['', ''],
      ['boris', 'wrong password 1'],
      ["anna' OR 1=1 --", userPassword],
      ['anna\u0000', userPassword],
    ] as const)
      assert.deepEqual(await bench.signIn(login, password, `10.10.0.${100 + host++}`), wrong, login)
    assert.deepEqual(await bench.signIn('boris'), { status: 'refused', reason: 'denied' }, 'with the right password')
  })

  it('blocks an address after six failures for 45 minutes, for users and not for administrators', async () => {
    const address = '10.10.0.50'
    for (let turn = 0; turn < 6; turn++) assert.deepEqual(await bench.signIn('anna', 'x', address), wrong)
    const refusal = await bench.signIn('anna', userPassword, address)
    assert.deepEqual(refusal, { status: 'refused', reason: 'blocked', retrySeconds: 2_700 })
    assert.equal((await bench.actions.host({ address })).refusal, 'blocked')
    assert.equal(bench.gateway.services.accounts.guard.secondsBlocked(address), 0)
    assert.deepEqual((await bench.admin('GET', '/web/auth/blocks')).body, [
      { address, seconds_left: 2_700, realm: 'users' },
    ])
    tokenOf(await bench.signIn('anna', userPassword, '10.10.0.51'))
    assert.equal((await bench.admin('DELETE', '/web/auth/blocks')).status, 200)
    tokenOf(await bench.signIn('anna', userPassword, address))
    for (let turn = 0; turn < 6; turn++) await bench.signIn('anna', 'x', address)
    bench.gateway.clock.advance(2_700)
    tokenOf(await bench.signIn('anna', userPassword, address))
  })

  it('blocks of administrators do not keep users out', async () => {
    const address = '10.10.0.60'
    for (let turn = 0; turn < 6; turn++) bench.gateway.services.accounts.guard.recordFailure(address, null)
    tokenOf(await bench.signIn('anna', userPassword, address))
    await bench.admin('DELETE', '/web/auth/blocks')
  })

  it('closes an account after 100 failures; only hosts that it signed in from learn that', async () => {
    const { gateway, admin } = bench
    const id = await bench.addUser('erik')
    tokenOf(await bench.signIn('erik', userPassword, '10.10.0.70'))
    for (let turn = 0; turn < 100; turn++)
      gateway.services.of(portalService).guard.recordFailure(`10.10.1.${Math.floor(turn / 5)}`, id)
    assert.deepEqual(await bench.signIn('erik', userPassword, '10.10.0.70'), { status: 'refused', reason: 'closed' })
    assert.deepEqual(await bench.signIn('erik', 'stone window 12', '10.10.0.70'), {
      status: 'refused',
      reason: 'closed',
    })
    assert.deepEqual(await bench.signIn('erik', userPassword, '10.10.0.71'), wrong)
    const closed = (await admin('GET', '/user_backend/closed_accounts')).body
    assert.equal(closed[0].login, 'erik')
    assert.deepEqual((await admin('GET', '/web/auth/closed_accounts')).body, [])
    assert.equal((await admin('DELETE', `/user_backend/closed_accounts/${closed[0].user_id}`)).status, 200)
    assert.equal((await admin('DELETE', `/user_backend/closed_accounts/${closed[0].user_id}`)).status, 404)
    tokenOf(await bench.signIn('erik', userPassword, '10.10.0.71'))
    for (let turn = 0; turn < 100; turn++)
      gateway.services.of(portalService).guard.recordFailure(`10.10.2.${Math.floor(turn / 5)}`, id)
    assert.equal(
      (await admin('PUT', `/user_backend/change_password/${id}`, { password: 'stone window 12' })).status,
      200,
    )
    tokenOf(await bench.signIn('erik', 'stone window 12', '10.10.0.72'))
  })

  it('is limited for all clients together, whichever address the portal claims', async () => {
    const { gateway } = bench
    gateway.clock.advance(3_600)
    const { signIns } = gateway.services.of(portalService)
    while (signIns.take()) {
      // Used up, as by sign-ins from many addresses.
    }
    assert.deepEqual(await bench.signIn('anna', userPassword, '10.10.0.80'), {
      status: 'refused',
      reason: 'busy',
      retrySeconds: 1,
    })
    gateway.clock.advance(60)
    tokenOf(await bench.signIn('anna', userPassword, '10.10.0.80'))
  })

  it('judges a bounded number of passwords at once; the others are asked to come again', async () => {
    bench.gateway.clock.advance(3_600)
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) => bench.signIn('anna', userPassword, `10.10.0.${index + 1}`)),
    )
    const counts = Map.groupBy(results, (result) => (result.status === 'refused' ? result.reason : result.status))
    assert.deepEqual([...counts.keys()].toSorted(), ['busy', 'signed_in'])
    assert.ok((counts.get('busy')?.length ?? 0) >= 36)
  })

  it('refuses when the host cannot be authorized, and leaves nothing open', async () => {
    const { network, gateway } = bench
    bench.gateway.clock.advance(3_600)
    const before = gateway.services.of(portalService).sessions.list().length
    network.fault = new Error('applyd does not answer')
    assert.deepEqual(await bench.signIn('anna'), { status: 'refused', reason: 'busy', retrySeconds: 1 })
    network.fault = new GatewayError('conflict', say`The address is always authorized as another user.`)
    assert.deepEqual(await bench.signIn('anna'), { status: 'refused', reason: 'taken' })
    network.fault = null
    assert.equal(gateway.services.of(portalService).sessions.list().length, before)
  })

  it('of a user who is denied while it takes place ends in nothing', async () => {
    const { network, admin, gateway } = bench
    const id = await bench.addUser('frida')
    network.onOpening = async () => {
      const fields = { name: 'Frida', login: 'frida', parent_id: 'group.id.1', comment: '', phone_number: null }
      const origin = { enabled: true, domain_type: 'local', domain_name: '', ldap_guid: '' }
      assert.equal((await admin('PUT', `/user_backend/users/${id}`, { ...fields, ...origin })).status, 200)
    }
    assert.deepEqual(await bench.signIn('frida'), { status: 'refused', reason: 'expired' })
    network.onOpening = () => {}
    assert.deepEqual(network.ofUser(id), [])
    assert.equal(
      gateway.services
        .of(portalService)
        .sessions.list()
        .some(({ userId }) => userId === id),
      false,
    )
  })

  it('ends with a denial, a removal and a new password by an administrator', async () => {
    const { admin, actions } = bench
    const id = await bench.addUser('greta')
    const open = async (): Promise<string> => tokenOf(await bench.signIn('greta', userPassword, '10.10.0.90'))
    const first = await open()
    assert.equal((await admin('POST', '/config/keys/rotate')).status, 200)
    assert.ok(await actions.personal({ address: localHost, token: first }), 'a new key of the vault ends nothing')
    assert.equal((await admin('PUT', `/user_backend/change_password/${id}`, { password: userPassword })).status, 200)
    assert.equal(await actions.personal({ address: localHost, token: first }), null)
    const second = await open()
    assert.equal((await admin('DELETE', `/user_backend/users/${id}`)).status, 200)
    assert.equal(await actions.personal({ address: localHost, token: second }), null)
    assert.equal(
      (await admin('GET', '/user_cabinet_backend/sessions')).body.some(
        ({ login }: { login: string }) => login === 'greta',
      ),
      false,
    )
  })

  it('ends with a password hash that was moved from another user, and holds up no change', async () => {
    const { gateway, actions } = bench
    const id = await bench.addUser('hanna')
    const token = tokenOf(await bench.signIn('hanna', userPassword, '10.10.0.91'))
    await gateway.services.changeAsGateway(
      (config) => {
        const all = read(config, users)
        const other = all.find(({ login }) => login === 'anna') ?? assert.fail()
        const moved = all.map((user) => (user.id === id ? { ...user, password_hash: other.password_hash } : user))
        return write(config, users, moved)
      },
      { reason: 'a row edited by hand' },
    )
    assert.equal(await actions.personal({ address: '10.10.0.91', token }), null)
    assert.equal((await bench.admin('GET', '/user_cabinet_backend/sessions')).status, 200)
  })

  it('writes lines that no name can break', async () => {
    const { admin } = bench
    await bench.signIn('zz\r\nFAKE\u2028<b>', 'x', '10.10.0.99')
    const filter = encodeURIComponent(
      JSON.stringify([
        {
          items: [{ column_name: 'unit', operator: 'contains_any', value: ['web-authd', 'fail2ban', 'user-cabinet'] }],
        },
      ]),
    )
    const { body } = await admin('GET', `/logs_backend/logs?limit=10000&filter=${filter}`)
    const lines: { unit: string; message: string }[] = body.data
    assert.ok(
      lines.some(
        ({ unit, message }) =>
          unit === 'portcullis-user-cabinet-backend' && message === "User 'anna' signed in from 10.10.0.7.",
      ),
    )
    assert.ok(
      lines.some(
        ({ unit, message }) =>
          unit === 'portcullis-web-authd' && message === "Sign-in of 'zz…' from 10.10.0.99 failed.",
      ),
    )
    assert.ok(
      lines.some(({ unit, message }) => unit === 'fail2ban' && message === 'NOTICE [utm-user-cabinet] Ban 10.10.0.50'),
    )
    assert.ok(
      lines.some(({ message }) =>
        /^INFO \[utm-user-cabinet\] Found 10\.10\.0\.99 - \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(message),
      ),
    )
    assert.equal(JSON.stringify(lines).includes('FAKE'), false, 'an unknown login may be a password')
    assert.equal(JSON.stringify(lines).includes(userPassword), false)
  })
})
