// Backups of earlier versions come along, and nothing is lost when that is cut off.

import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { moveEarlierBackups } from './earlier-folder.ts'

// Memory is another disk, as the mounts of a sandbox are: files cannot be renamed to there.
for (const [where, base] of [
  ['the same disk', tmpdir()],
  ['another disk', '/dev/shm'],
] as const)
  describe(`backups of an earlier version on ${where}`, () => {
    let home: string
    let to: string
    const from = (): string => join(home, 'gateway', 'backups')
    beforeEach(() => {
      home = mkdtempSync(join(base, 'portcullis-backups-'))
      to = join(mkdtempSync(join(tmpdir(), 'portcullis-backups-')), 'backups')
      mkdirSync(from(), { recursive: true })
      for (const id of ['one', 'two'])
        for (const [ending, text] of [
          ['backup', 'sealed'],
          ['json', 'record'],
        ] as const)
          writeFileSync(join(from(), `${id}.${ending}`), `${text} ${id}`, { mode: 0o600 })
    })
    afterEach(() => {
      for (const folder of [home, join(to, '..')]) rmSync(folder, { recursive: true })
    })
    const all = ['one.backup', 'one.json', 'two.backup', 'two.json']

    it('are moved once', () => {
      writeFileSync(join(from(), 'half.backup.new'), 'half')
      for (let round = 0; round < 2; round++) {
        moveEarlierBackups(from(), to)
        assert.deepEqual(readdirSync(to).sort(), all)
        assert.equal(existsSync(from()), false)
      }
      assert.equal(readFileSync(join(to, 'two.backup'), 'utf8'), 'sealed two')
    })

    it('are moved beside newer ones, and by the next start when one was in the way', () => {
      mkdirSync(join(to, 'two.backup', 'x'), { recursive: true })
      writeFileSync(join(to, 'new.backup'), 'newer')
      assert.throws(() => moveEarlierBackups(from(), to))
      // Its record stays with it.
      assert.ok(['two.backup', 'two.json', 'one.json'].every((name) => readdirSync(from()).includes(name)))
      rmSync(join(to, 'two.backup'), { recursive: true })
      moveEarlierBackups(from(), to)
      assert.deepEqual(readdirSync(to).sort(), ['new.backup', ...all])
    })

    it('are not looked for behind a link', () => {
      const elsewhere = join(home, 'elsewhere')
      mkdirSync(elsewhere)
      writeFileSync(join(elsewhere, 'three.backup'), 'x')
      rmSync(from(), { recursive: true })
      symlinkSync(elsewhere, from())
      moveEarlierBackups(from(), to)
      assert.deepEqual([existsSync(to), readdirSync(elsewhere)], [false, ['three.backup']])
    })
  })
