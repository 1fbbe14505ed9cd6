// L1: an administrator sees with gw which accounts failed sign-ins closed, and reopens them.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { testPassword } from '../support/test-gateway.ts'
import { type CliWorld, createCliWorld } from './gw-process.ts'

describe('L1: a closed account', () => {
  let world: CliWorld
  let id = ''
  before(async () => {
    world = await createCliWorld()
    await world.gateway.addAdministrator('root', 'predefined_admin_write')
    id = await world.gateway.addAdministrator('guest', 'predefined_reports_view')
    const words = ['login', '--address', world.address, '--login', 'root', '--trust']
    const said = await world.gw(words, { input: `${testPassword}\n` })
    assert.equal(said.code, 0, said.err)
  })
  after(() => world.close())

  it('is shown by gw status and reopened by the call that it names', async () => {
    for (let host = 1; host <= 100; host++) world.gateway.services.accounts.guard.recordFailure(`192.0.2.${host}`, id)
    const shown = (await world.gw(['status', '--json'])).out
    const { msg } = JSON.parse(shown).find(({ name }: { name: string }) => name === 'sign-in')
    assert.match(msg[0], /^The account guest is closed to sign-in since .* after 100 failures from 100 addresses\./)
    const path = /DELETE (\S+)\.$/.exec(msg[0])?.[1] ?? ''
    assert.equal((await world.gw(['delete', path])).code, 0)
    assert.match((await world.gw(['audit', '--limit', '3'])).out, /The account guest is open to sign-in again\./)
    assert.deepEqual(JSON.parse((await world.gw(['get', '/web/auth/closed_accounts', '--json'])).out), [])
  })
})
