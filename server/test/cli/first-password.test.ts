// gw admin first-password shows what is in the file of the gateway and follows nothing that its account could put there.
// Requirement 10.

import assert from 'node:assert/strict'
import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CliWorld, createCliWorld } from './gw-process.ts'

describe('L6: gw admin first-password', () => {
  let world: CliWorld
  let file = ''
  before(async () => {
    world = await createCliWorld()
    file = join(world.stateDir, 'gateway', 'first-password')
  })
  after(() => world.close())

  const show = () => world.gw(['admin', 'first-password'])

  it('says that there is none, and what to do', async () => {
    const { code, out, err } = await show()
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /There is no first password .*\n.*gw admin reset/)
  })

  it('shows it', async () => {
    writeFileSync(file, 'a random word\n', { mode: 0o600 })
    assert.deepEqual(await show(), { code: 0, out: 'a random word\n', err: '' })
  })

  it('escapes what a terminal would obey', async () => {
    writeFileSync(file, 'a\u001b[2Jb')
    assert.ok(!(await show()).out.includes('\u001b'))
  })

  it('follows no link and reads nothing but a file of the owner of the folder', async () => {
    const secret = join(world.stateDir, 'secret')
    writeFileSync(secret, 'of root')
    rmSync(file)
    symlinkSync(secret, file)
    const kinds = [
      () => {},
      () => {
        rmSync(file)
        mkdirSync(file)
      },
      () => {
        rmSync(file, { recursive: true })
        writeFileSync(file, 'of another')
        if (process.geteuid?.() === 0) chownSync(file, 12345, 12345)
        else rmSync(file)
      },
    ]
    for (const make of kinds) {
      make()
      const { code, out } = await show()
      assert.deepEqual([code, out], [1, ''])
    }
  })
})
