// The token for metrics: shown once, stored as a hash, revocable, and nothing else opens the door.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, it } from 'node:test'
import { MetricsToken } from './metrics-token.ts'

let folder = ''
const path = (): string => join(folder, 'metrics-token.json')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portcullis-token-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('no header opens metrics before a token was made', () => {
  const tokens = new MetricsToken(path())
  assert.equal(tokens.info, null)
  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Bearer null', `Bearer ${'A'.repeat(43)}`])
    assert.equal(tokens.isIn(header), false)
  assert.equal(tokens.remove(), false)
})

it('a token is valid across restarts, until another one is made or it is removed', () => {
  const first = new MetricsToken(path())
  const token = first.create('admin', 1000)
  assert.match(token, /^[\w-]{43}$/)
  const second = new MetricsToken(path())
  assert.deepEqual(second.info, { createdAt: 1000, createdBy: 'admin' })
  assert.ok(second.isIn(`Bearer ${token}`) && second.isIn(`bearer  ${token}`))
  for (const header of [token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Bearer ${token} x`])
    assert.equal(second.isIn(header), false, header)
  const next = second.create('admin', 2000)
  assert.equal(second.isIn(`Bearer ${token}`), false)
  assert.ok(second.isIn(`Bearer ${next}`))
  assert.ok(second.remove())
  assert.equal(second.isIn(`Bearer ${next}`), false)
  assert.equal(new MetricsToken(path()).info, null)
})

it('the file shows neither the token nor itself to others', () => {
  const token = new MetricsToken(path()).create('admin', 1000)
  assert.ok(!readFileSync(path(), 'utf8').includes(token))
  assert.equal(statSync(path()).mode & 0o777, 0o600)
})

it('a damaged file opens nothing', () => {
  for (const text of ['', '{', '{"hash":""}', '{"hash":"","createdAt":1,"createdBy":"x"}']) {
    writeFileSync(path(), text)
    assert.equal(new MetricsToken(path()).isIn('Bearer x'), false)
  }
})
