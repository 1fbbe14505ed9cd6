// The vault: what is sealed opens only where it belongs, with the key that sealed it, and unaltered.
// Requirement 42.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { Vault } from './vault.ts'

describe('the vault', () => {
  let folder = ''
  let path = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-vault-'))
    path = join(folder, 'vault.key')
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('gives back what was sealed, whatever it is', () => {
    const vault = new Vault(path)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string(), (value, place) => {
        assert.equal(vault.reveal(vault.seal(value, place), place), value)
      }),
      { seed: 20_260_101, numRuns: 200 },
    )
  })

  it('opens a value only in its own place', () => {
    const vault = new Vault(path)
    const sealed = vault.seal('canary', 'administrators.local/one/password_hash')
    for (const place of ['administrators.local/two/password_hash', 'administrators.local/one/token', '', 'x']) {
      assert.throws(() => vault.reveal(sealed, place))
    }
  })

  it('opens nothing that was altered', () => {
    const vault = new Vault(path)
    const { sealed } = vault.seal('canary', 'here')
    const parts = sealed.split('.')
    const flipped = (index: number): string =>
      parts.map((part, at) => (at === index ? part.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) : part)).join('.')
    for (const wrong of [
      flipped(2),
      flipped(3),
      sealed.slice(0, -1),
      `${sealed}AAAA`,
      'v2.1.a.b',
      '',
      'v1',
      'v1.9.AAAA.AAAA',
    ]) {
      assert.throws(() => vault.reveal({ sealed: wrong }, 'here'), wrong)
    }
  })

  it('seals the same value differently each time, and never legibly', () => {
    const vault = new Vault(path)
    const seals = Array.from({ length: 1_000 }, () => vault.seal('canary', 'here').sealed)
    assert.equal(new Set(seals).size, seals.length)
    assert.equal(new Set(seals.map((seal) => seal.split('.')[2])).size, seals.length, 'a nonce came twice')
    for (const seal of seals) assert.ok(!Buffer.from(seal.split('.')[3] ?? '', 'base64url').includes('canary'))
  })

  it('keeps its keys readable by its own user alone, also after a new key', () => {
    const vault = new Vault(path)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    vault.addKey()
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(folder), ['vault.key'], 'nothing half-written stays')
  })

  it('still opens what older keys sealed, after new keys and a restart', () => {
    const vault = new Vault(path)
    const old = vault.seal('canary', 'here')
    const before = vault.currentKey
    vault.addKey()
    vault.addKey()
    const fresh = vault.seal('canary', 'here')
    assert.equal(vault.keyOf(old), before)
    assert.equal(vault.keyOf(fresh), before + 2)
    const again = new Vault(path)
    assert.equal(again.currentKey, before + 2)
    for (const sealed of [old, fresh]) assert.equal(again.reveal(sealed, 'here'), 'canary')
  })

  it('with another key file opens nothing, and refuses a damaged one', () => {
    const sealed = new Vault(path).seal('canary', 'here')
    const other = new Vault(join(folder, 'other.key'))
    assert.throws(() => other.reveal(sealed, 'here'))
    const damaged = join(folder, 'damaged.key')
    writeFileSync(damaged, readFileSync(path).subarray(0, 20))
    assert.throws(() => new Vault(damaged), 'a new key in its place would lose every secret')
  })
})
