import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { readSession, sessionPath, writeSession } from './session-file.ts'

const home = mkdtempSync(join(tmpdir(), 'gw-session-'))
after(() => rmSync(home, { recursive: true, force: true }))

const session = {
  address: 'https://192.0.2.1',
  login: 'admin',
  cookie: 'a=b',
  certificates: { 'https://192.0.2.1': 'AA' },
  roots: { 'https://192.0.2.1': 'bb' },
}

test('the file lies in the configuration folder of the account', () => {
  assert.equal(sessionPath({ XDG_CONFIG_HOME: '/x', HOME: '/h' }), '/x/portcullis/session.json')
  assert.equal(sessionPath({ HOME: '/h' }), '/h/.config/portcullis/session.json')
  assert.equal(sessionPath({ XDG_CONFIG_HOME: 'relative', HOME: '/h' }), '/h/.config/portcullis/session.json')
})

test('what was written is read again, and no one else may read it', () => {
  const env = { XDG_CONFIG_HOME: home }
  assert.equal(readSession(env), null)
  writeSession(env, session)
  assert.deepEqual(readSession(env), session)
  assert.equal(statSync(sessionPath(env)).mode & 0o777, 0o600)
  assert.equal(statSync(dirname(sessionPath(env))).mode & 0o777, 0o700)
})

test('a damaged file counts as no session', () => {
  const env = { XDG_CONFIG_HOME: home }
  for (const text of ['', '{', 'null', '{"address":1}', '[]']) {
    writeFileSync(sessionPath(env), text)
    assert.equal(readSession(env), null, text)
  }
})
