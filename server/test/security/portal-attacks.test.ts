// What hosts of a local network, users with a valid login and a portal that was taken over try at the sign-in of users.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { portalService } from '../../src/areas/portal/service.ts'
import { createPortalBench, localHost, type PortalBench, userPassword } from '../support/portal-calls.ts'

describe('attacks on the sign-in of users', () => {
  let bench: PortalBench
  before(async () => {
    bench = await createPortalBench()
    await bench.addUser('anna')
    await bench.addUser('mallory')
  })
  after(() => bench.gateway.close())

  const tokenOf = async (login: string, address: string): Promise<string> => {
    const result = await bench.signIn(login, userPassword, address)
    assert.ok(result.status === 'signed_in', JSON.stringify(result))
    return result.token
  }

  it('made-up tickets from a few hosts keep no one from signing in', async () => {
    for (let round = 0; round < 500; round++)
      for (const address of ['10.10.0.21', '10.10.0.22'])
        assert.deepEqual(await bench.actions.confirm({ address, ticket: `made up ${round}`, code: '123456' }), {
          status: 'refused',
          reason: 'expired',
        })
    await tokenOf('anna', localHost)
  })

  it('a user who signs in again and again uses up nothing of what others have', async () => {
    bench.gateway.clock.advance(3_600)
    const answers = new Map<string, number>()
    for (let round = 0; round < 400; round++) {
      const result = await bench.signIn('mallory', userPassword, '10.10.0.23')
      const answer = result.status === 'refused' ? result.reason : result.status
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
    assert.deepEqual(Object.fromEntries(answers), { signed_in: 20, busy: 380 })
    await tokenOf('anna', localHost)
  })

  it('of current passwords that are guessed together, none counts after the one that blocks the host', async () => {
    bench.gateway.clock.advance(3_600)
    const token = await tokenOf('anna', '10.10.0.24')
    const guesses = [...Array.from({ length: 12 }, (_, at) => `wrong password ${at}`), userPassword]
    const results = await Promise.all(
      guesses.map((current) =>
        bench.actions.changePassword({ address: '10.10.0.24', token, current, next: 'another bridge 32' }),
      ),
    )
    const reasons = results.map((result) => (result.status === 'refused' ? result.reason : result.status))
    assert.equal(reasons.filter((reason) => reason === 'wrong').length, 6)
    assert.equal(reasons.at(-1), 'blocked')
    await tokenOf('anna', localHost)
  })

  it('with a stolen cookie, no password can be guessed once the account is closed', async () => {
    bench.gateway.clock.advance(3_600)
    const id = await bench.addUser('dora')
    const token = await tokenOf('dora', localHost)
    for (let at = 0; at < 100; at++) bench.gateway.services.of(portalService).guard.recordFailure(`10.11.0.${at}`, id)
    const change = { address: '10.10.0.25', token, current: userPassword, next: 'another bridge 32' }
    assert.deepEqual(await bench.actions.changePassword(change), { status: 'refused', reason: 'wrong' })
  })
})
