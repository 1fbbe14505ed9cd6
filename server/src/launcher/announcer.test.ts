import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isUp } from './announcer.ts'
import { showBanner } from './banner.ts'

const serving = { pid: 1, starts: 1, ready: true }
const starting = { pid: 1, starts: 1, ready: false }

describe('the announcement', () => {
  test('waits for gatewayd for ever, for a lab server only until it failed once', () => {
    assert.equal(isUp({ gatewayd: serving, web: serving }), true)
    assert.equal(isUp({ gatewayd: serving, web: starting }), false)
    assert.equal(isUp({ gatewayd: serving, web: { ...starting, starts: 2 } }), true)
    assert.equal(isUp({ gatewayd: { ...starting, starts: 9 }, web: serving }), false)
  })

  test('shows address, data plane, state and, when there is one, the first password', () => {
    const greeting = {
      address: 'https://127.0.0.1:8443/',
      choice: { plane: 'none', limitation: 'the lab needs nft' },
      stateDir: '/srv/state',
      firstLogin: 'admin',
      firstPassword: 'a-random-word',
    } as const
    const text = showBanner(greeting)
    for (const part of [greeting.address, 'the lab needs nft', '/srv/state', 'admin', 'a-random-word', 'Ctrl-C'])
      assert.ok(text.includes(part), part)
    assert.ok(!showBanner({ ...greeting, firstPassword: null }).includes('Password'))
  })
})
