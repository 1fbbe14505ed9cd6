import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { followLinks, mountPrivateView } from './mounts.ts'
import { isAllowedToAll } from './reach.ts'

describe('following the resolver file', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-links-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  const link = (name: string, target: string) => {
    symlinkSync(target, join(folder, name))
    return join(folder, name)
  }

  test('a plain file is itself, a link is what it points to', () => {
    writeFileSync(join(folder, 'plain'), '')
    assert.equal(followLinks(join(folder, 'plain')), join(folder, 'plain'))
    assert.equal(followLinks(link('near', 'plain')), join(folder, 'plain'))
  })

  test('a link into /run is followed although nothing is there', () => {
    assert.equal(followLinks(link('stub', '/run/nowhere/stub-resolv.conf')), '/run/nowhere/stub-resolv.conf')
    assert.equal(followLinks(link('old', '/var/run/nowhere/resolv.conf')), '/run/nowhere/resolv.conf')
  })

  test('other dangling links, loops and missing files end nowhere', () => {
    assert.equal(followLinks(link('broken', '/nonexistent/file')), null)
    assert.equal(followLinks(link('loop', 'loop')), null)
    assert.equal(followLinks(join(folder, 'missing')), null)
  })
})

test('folders out of reach are named together with the refusal of namespaces, without which they could be reached', () => {
  const closed = mkdtempSync(join(tmpdir(), 'portcullis-closed-'))
  mkdirSync(join(closed, 'state'))
  const limitation = 'the lab needs namespaces and the kernel refused them (unshare: Operation not permitted)'
  const account = { kind: 'separate', uid: 997, gid: 997 } as const
  try {
    assert.throws(
      () => mountPrivateView({ plane: 'none', limitation, isolation: 'plain' }, join(closed, 'state'), account),
      /uid 997\) cannot enter .*kernel refused them \(unshare: Operation not permitted\)\. Move them to/,
    )
  } finally {
    rmSync(closed, { recursive: true })
  }
})

test('everyone may pass a folder only when the last bits say so', () => {
  assert.equal(isAllowedToAll({ mode: 0o40700 }, 1), false)
  assert.equal(isAllowedToAll({ mode: 0o40711 }, 1), true)
  assert.equal(isAllowedToAll({ mode: 0o40711 }, 5), false)
  assert.equal(isAllowedToAll({ mode: 0o40755 }, 5), true)
})
