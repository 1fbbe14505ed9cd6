import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { describe, test } from 'node:test'
import { isUp } from './announcer.ts'
import { showBanner } from './banner.ts'
import { isJournal } from './journal.ts'

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
      allowsEveryone: false,
      isJournal: false,
    } as const
    const text = showBanner(greeting)
    for (const part of [greeting.address, 'the lab needs nft', '/srv/state', 'admin', 'a-random-word', 'Ctrl-C'])
      assert.ok(text.includes(part), part)
    assert.ok(!showBanner({ ...greeting, firstPassword: null }).includes('Password'))
    assert.ok(!text.includes('not enforced'))
    assert.match(showBanner({ ...greeting, allowsEveryone: true }), /^ {2}Users +authorization is not enforced: /m)
  })

  test('L6: does not show the first password in a journal, but says where it is', () => {
    const choice = { plane: 'host', limitation: null } as const
    const first = { firstLogin: 'admin', firstPassword: 'a-random-word' } as const
    const greeting = { address: '', choice, stateDir: '', ...first, allowsEveryone: true } as const
    const text = showBanner({ ...greeting, isJournal: true })
    assert.ok(!text.includes('a-random-word'))
    assert.match(text, /gw admin first-password +\(use it within 24 hours and change it\)/)
    assert.match(showBanner({ ...greeting, isJournal: false }), /a-random-word/)
  })

  test('L6: knows the journal by the stream that systemd connected', async (t) => {
    const env = { JOURNAL_STREAM: '8:12345' }
    const server = createServer().listen(0, '127.0.0.1')
    const file = openSync('/dev/null', 'w')
    t.after(() => {
      server.close()
      closeSync(file)
    })
    await once(server, 'listening')
    const { fd } = (server as Server & { readonly _handle: { readonly fd: number } })._handle
    assert.equal(isJournal(env, fd), true)
    assert.equal(isJournal({}, fd), false)
    assert.equal(isJournal(env, file), false)
  })
})
