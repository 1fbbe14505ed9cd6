// What a flood of sign-ins, a second account or many addresses bring to someone who guesses, and what administrators see of it.
// Requirements 3 and 9.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { GatewayError } from '../../src/core/contract/error.ts'
import { FairShare } from '../../src/gatewayd/http/fair-share.ts'
import { say } from '../../src/shared/said.ts'
import { ask } from '../contract/contract.ts'
import { type Answer, type Client, createTestGateway, type TestGateway, testPassword } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const isNight = process.env.PORTCULLIS_NIGHTLY !== undefined
const minute = 60
const day = 24 * 60 * minute

describe('guessing at accounts', () => {
  let gateway: TestGateway
  let admin: Client
  let ownerId = ''
  let number = 0
  before(async () => {
    gateway = await createTestGateway()
    ownerId = await gateway.addAdministrator('owner', 'predefined_admin_write')
    await gateway.addAdministrator('reader', 'predefined_reports_view')
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  /** Each in a network of its own. */
  const newAddress = (): string => `10.${(++number >> 8) & 255}.${number & 255}.1`
  const signIn = (from: string, password = 'not the password', login = 'owner', headers = {}): Promise<Answer> =>
    ask(gateway, { method: 'POST', url: '/web/auth/login', body: { login, password, rest_path: '/' }, from, headers })
  /** Failures without the cost of their hashes. */
  const failDirectly = (adminId: string, times: number, address = newAddress): void => {
    for (let done = 0; done < times; done++) gateway.services.accounts.guard.recordFailure(address(), adminId)
  }
  const newAccount = (login: string): Promise<string> => gateway.addAdministrator(login, 'predefined_reports_view')

  interface LockRecord {
    readonly event: string
    readonly who: string
    readonly message: string
  }
  const lockRecords = async (): Promise<LockRecord[]> =>
    (await admin('GET', '/journal/records')).body.filter((record: LockRecord) => record.event === 'lock')

  interface Closed {
    readonly login: string
    readonly failures: number
    readonly addresses: number
  }
  const findClosed = async (login: string): Promise<Closed | undefined> =>
    (await admin('GET', '/web/auth/closed_accounts')).body.find((account: Closed) => account.login === login)

  it('M6: a flood from changing addresses keeps no one out', async () => {
    const usual = newAddress()
    assert.equal((await signIn(usual, testPassword)).status, 200)
    let isOver = false
    let answers = 0
    const flood = async (): Promise<void> => {
      while (!isOver) {
        await signIn(newAddress(), 'wrong', `guess ${number % 7}`)
        answers++
      }
    }
    const floods = Array.from({ length: 60 }, flood)
    await until('the flood is answered', () => answers > 3)
    const statuses = []
    for (const from of [usual, newAddress(), usual, newAddress()]) {
      statuses.push((await signIn(from, testPassword)).status)
    }
    isOver = true
    await Promise.all(floods)
    assert.deepEqual(statuses, [200, 200, 200, 200])
  })

  it('M6: sign-ins that are refused unchecked count as tries', async (t) => {
    const from = newAddress()
    const mock = t.mock.method(gateway.services.accounts.passwords, 'fits', () =>
      Promise.reject(new GatewayError('unavailable', say`Too many sign-ins at once.`, { retryAfterSeconds: 1 })),
    )
    for (let done = 0; done < 5; done++) {
      for (let together = 0; together < 10; together++) assert.equal((await signIn(from)).status, 503)
      gateway.clock.advance(1)
    }
    assert.equal((await signIn(from)).status, 503)
    mock.mock.restore()
    assert.equal((await signIn(from, testPassword)).status, 429)
    assert.equal(gateway.services.accounts.guard.isAccountClosed(ownerId), false)
  })

  it('M6: sign-ins that are refused unchecked are forgiven when the same account signs in', async (t) => {
    const from = newAddress()
    const mock = t.mock.method(gateway.services.accounts.passwords, 'fits', () =>
      Promise.reject(new GatewayError('unavailable', say`Too many sign-ins at once.`, { retryAfterSeconds: 1 })),
    )
    for (let done = 0; done < 5; done++) {
      assert.equal((await signIn(from)).status, 503)
      gateway.clock.advance(1)
    }
    mock.mock.restore()
    assert.equal((await signIn(from, testPassword)).status, 200)
    assert.equal((await signIn(from)).status, 401)
    assert.equal((await signIn(from, testPassword)).status, 200)
  })

  it('M7: signing in as another account does not clear the failures of an address', async () => {
    const from = newAddress()
    for (let done = 0; done < 5; done++) assert.equal((await signIn(from)).status, 401)
    assert.equal((await signIn(from, testPassword, 'reader')).status, 200)
    assert.equal((await signIn(from)).status, 401)
    assert.equal((await signIn(from)).status, 429)
  })

  it('M7: failures with unknown logins are not cleared by signing in', async () => {
    const from = newAddress()
    for (let done = 0; done < 5; done++) assert.equal((await signIn(from, 'wrong', 'nobody')).status, 401)
    assert.equal((await signIn(from, testPassword, 'reader')).status, 200)
    assert.equal((await signIn(from, 'wrong', 'nobody')).status, 401)
    assert.equal((await signIn(from, testPassword, 'reader')).status, 429)
  })

  it('M7: the victim that signs in does not clear the failures of others', async () => {
    const id = await newAccount('victim')
    const own = newAddress()
    failDirectly(id, 5, () => own)
    failDirectly(id, 94)
    assert.equal((await signIn(own, testPassword, 'victim')).status, 200, 'clears the five from its own address')
    failDirectly(id, 5)
    assert.equal(gateway.services.accounts.guard.isAccountClosed(id), false)
    failDirectly(id, 1)
    assert.equal(gateway.services.accounts.guard.isAccountClosed(id), true)
  })

  it('M7: failures of others count for 30 days', async () => {
    const id = await newAccount('slowly')
    failDirectly(id, 99)
    gateway.clock.advance(30 * day)
    failDirectly(id, 99)
    assert.equal(gateway.services.accounts.guard.isAccountClosed(id), false)
    gateway.clock.advance(29 * day)
    failDirectly(id, 1)
    assert.equal(gateway.services.accounts.guard.isAccountClosed(id), true)
    admin = await gateway.client('predefined_admin_write')
  })

  it('L1: closing an account and reopening it are recorded and shown', async () => {
    const id = await newAccount('shown')
    const [one, two] = [newAddress(), newAddress()]
    failDirectly(id, 49, () => one)
    failDirectly(id, 50, () => two)
    gateway.services.accounts.guard.liftBlocks()
    assert.equal((await signIn(newAddress(), 'wrong', 'shown')).status, 401)
    const since = Math.floor(gateway.clock.wall / 1000)
    assert.deepEqual(await findClosed('shown'), { admin_id: id, login: 'shown', since, failures: 100, addresses: 3 })
    const [status] = (await admin('GET', '/web/auth/status')).body
    assert.match(
      status.msg.find((message: string) => message.startsWith('The account shown ')),
      new RegExp(`^The account shown is closed .* 100 failures from 3 addresses. .*DELETE /web/auth/.*/${id}\\.$`),
    )
    const [closed] = await lockRecords()
    assert.equal(closed?.who, 'shown')
    assert.match(closed?.message ?? '', /^The account shown is now closed to sign-in: 100 failures from 3 addresses\./)

    assert.equal((await signIn(newAddress(), testPassword, 'shown')).status, 401)
    assert.equal((await admin('DELETE', `/web/auth/closed_accounts/${id}`)).status, 200)
    assert.equal((await admin('DELETE', `/web/auth/closed_accounts/${id}`)).status, 404)
    assert.equal((await signIn(newAddress(), testPassword, 'shown')).status, 200)
    const [reopened] = await lockRecords()
    assert.deepEqual(
      [reopened?.who, reopened?.message],
      ['of-predefined_admin_write', 'The account shown is open to sign-in again.'],
    )
  })

  it('L1: an account that a new password reopens is recorded as well, and an open one is not', async () => {
    const id = await newAccount('renewed')
    await admin('PATCH', `/web/admins/local/${id}`, { password: 'a new pass phrase' })
    const before = (await lockRecords()).length
    failDirectly(id, 100)
    await admin('PATCH', `/web/admins/local/${id}`, { password: 'another pass phrase' })
    const records = await lockRecords()
    assert.equal(records.length, before + 1)
    assert.equal(records[0]?.message, 'The account renewed is open to sign-in again.')
  })

  it('L1: the owner of a closed account gets the same answer as everyone else', async () => {
    const id = await newAccount('closed')
    failDirectly(id, 100)
    const answers = await Promise.all([
      signIn(newAddress(), testPassword, 'closed'),
      signIn(newAddress(), 'wrong', 'closed'),
      signIn(newAddress(), testPassword, 'nobody'),
    ])
    const shown = answers.map(({ status, body, headers }) => [status, body.code, body.message, Object.keys(headers)])
    assert.deepEqual(shown[0], shown[1])
    assert.deepEqual(shown[0], shown[2])
  })

  it('L1: the addresses of one IPv6 network of 64 bits are one source', async () => {
    const id = await newAccount('sixth')
    for (let host = 1; host <= 6; host++) {
      assert.equal((await signIn(`2001:db8:5:1::${host.toString(16)}`, 'wrong', 'sixth')).status, 401)
    }
    assert.equal((await signIn('2001:db8:5:1:ffff::7', testPassword, 'sixth')).status, 429)
    assert.equal((await signIn('2001:db8:5:2::1', testPassword, 'sixth')).status, 200)
    const blocks = (await admin('GET', '/web/auth/blocks')).body
    assert.ok(blocks.some(({ address }: { address: string }) => address === '2001:db8:5:1::/64'))
    failDirectly(id, 94, () => `2001:db8:5:1::${(++number).toString(16)}`)
    assert.equal((await findClosed('sixth'))?.addresses, 1)

    const share = new FairShare(() => 0)
    for (let taken = 0; taken < 3_000; taken++) assert.ok(share.take(`2001:db8::${taken.toString(16)}`))
    assert.equal(share.take('2001:db8::ffff:1'), false)
  })

  it('L1: blocks that are over are deleted', async () => {
    failDirectly(ownerId, 6, () => '192.0.2.77')
    gateway.clock.advance(46 * minute)
    failDirectly(ownerId, 1)
    const rows = gateway.database.prepare('SELECT source FROM sign_in_blocks').all()
    assert.ok(!rows.some(({ source }) => source === '192.0.2.77'))
    admin = await gateway.client('predefined_admin_write')
  })

  it('a scripted attack from 50 addresses closes the account once, and a restart forgets nothing', async () => {
    const id = await newAccount('target')
    const addresses = Array.from({ length: 50 }, newAddress)
    const spellings = ['target', 'TARGET', 'Target', 'ｔａｒｇｅｔ', 'tArGeT']
    const rounds = isNight ? 2 : 1
    for (let round = 0; round < rounds; round++) {
      for (const [index, from] of addresses.entries()) {
        const login = spellings[index % spellings.length] ?? ''
        const answer = await signIn(from, `guess ${round}`, login, {
          'x-forwarded-for': newAddress(),
          forwarded: 'for=::1',
        })
        assert.equal(answer.status, 401)
      }
      gateway = await gateway.restart()
      admin = await gateway.client('predefined_admin_write')
    }
    for (const login of ['target ', ' target', 'target@radius']) {
      assert.equal((await signIn(newAddress(), testPassword, login)).status, 401)
    }
    failDirectly(id, 100 - rounds * 50 - 1, () => addresses[0] ?? '')
    assert.equal(gateway.services.accounts.guard.isAccountClosed(id), rounds > 1)
    failDirectly(id, 1, () => addresses[0] ?? '')
    assert.equal(gateway.services.accounts.guard.isAccountClosed(id), true)
    const closed = await findClosed('target')
    assert.deepEqual([closed?.failures, closed?.addresses], [100, 50])
    gateway = await gateway.restart()
    assert.equal((await signIn(newAddress(), testPassword, 'target')).status, 401)
    assert.equal((await signIn(newAddress(), testPassword)).status, 200, 'others still get in')
  })
})
