import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { changeSessions, readSessions, sessionPath, withoutSession, withSession, withTrusted } from './session-file.ts'

const home = mkdtempSync(join(tmpdir(), 'gw-session-'))
after(() => rmSync(home, { recursive: true, force: true }))
const env = { XDG_CONFIG_HOME: home }
beforeEach(() => rmSync(sessionPath(env), { force: true }))

const nothing = { last: null, sessions: {}, certificates: {}, roots: {} }
const [one, other] = ['https://192.0.2.1', 'https://192.0.2.2:8443']

test('the file lies in the configuration folder of the account', () => {
  assert.equal(sessionPath({ XDG_CONFIG_HOME: '/x', HOME: '/h' }), '/x/portcullis/session.json')
  assert.equal(sessionPath({ HOME: '/h' }), '/h/.config/portcullis/session.json')
  assert.equal(sessionPath({ XDG_CONFIG_HOME: 'relative', HOME: '/h' }), '/h/.config/portcullis/session.json')
})

test('each gateway keeps its session, and no one else may read them', () => {
  assert.deepEqual(readSessions(env), nothing)
  changeSessions(env, (saved) => withTrusted(saved, one, { fingerprint: 'AA', rootKey: 'bb' }))
  changeSessions(env, (saved) => withSession(saved, one, { login: 'admin', cookie: 'a=b' }))
  changeSessions(env, (saved) => withTrusted(saved, other, { fingerprint: 'CC', rootKey: null }))
  changeSessions(env, (saved) => withSession(saved, other, { login: 'bob', cookie: 'c=d' }))
  const both = {
    last: other,
    sessions: { [one]: { login: 'admin', cookie: 'a=b' }, [other]: { login: 'bob', cookie: 'c=d' } },
    certificates: { [one]: 'AA', [other]: 'CC' },
    roots: { [one]: 'bb' },
  }
  assert.deepEqual(readSessions(env), both)
  assert.equal(statSync(sessionPath(env)).mode & 0o777, 0o600)
  assert.equal(statSync(dirname(sessionPath(env))).mode & 0o777, 0o700)
  changeSessions(env, (saved) => withoutSession(saved, one))
  assert.deepEqual(readSessions(env), { ...both, sessions: { [other]: both.sessions[other] } })
})

test('the file of an older gw, which had a single session, is read as one', () => {
  const old = { address: one, login: 'admin', cookie: 'a=b', certificates: { [one]: 'AA', [other]: 'CC' }, roots: {} }
  changeSessions(env, (saved) => saved)
  writeFileSync(sessionPath(env), JSON.stringify(old))
  const { certificates, roots } = old
  const migrated = { last: one, sessions: { [one]: { login: 'admin', cookie: 'a=b' } }, certificates, roots }
  assert.deepEqual(readSessions(env), migrated)
  writeFileSync(sessionPath(env), JSON.stringify({ ...old, cookie: null }))
  assert.deepEqual(readSessions(env), { ...migrated, sessions: {} }, 'it was signed out')
})

test('a damaged file counts as no session', () => {
  changeSessions(env, (saved) => saved)
  for (const text of [
    '',
    '{',
    'null',
    '{"address":1}',
    '[]',
    '{"certificates":[]}',
    '{"certificates":{},"sessions":7}',
  ]) {
    writeFileSync(sessionPath(env), text)
    assert.deepEqual(readSessions(env), nothing, text)
  }
  writeFileSync(
    sessionPath(env),
    JSON.stringify({ certificates: { [one]: 7 }, sessions: { [one]: { login: 1 } }, last: 1 }),
  )
  assert.deepEqual(readSessions(env), nothing)
})
