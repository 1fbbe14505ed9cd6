// Requirement 25.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fixedText } from './fixed-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcullis-fixed-'))
after(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'a.conf')
writeFileSync(path, '# Why.\n\nfolder "{{folder}}"\n  # Why not.\nfiles {{files}}\nformat %{user} # {x}\n')
const values = { folder: '/a', files: ['b', 'c=/d'] }

test('comments and empty lines are left out and names become values', () => {
  assert.equal(fixedText(path, values), 'folder "/a"\nfiles b c=/d\nformat %{user} # {x}\n')
  assert.equal(fixedText(path, { folder: 1, files: 'b' }), 'folder "1"\nfiles b\nformat %{user} # {x}\n')
})

test('a value that could be more than a word is refused', () => {
  for (const bad of ['', 'a b', 'a"', 'a\nb', 'a\\', "a'", 'a#b', 'a;b', '{{files}}', 'ü', 'a\r', '$HOME'])
    assert.throws(() => fixedText(path, { ...values, folder: bad }), /not a value/, bad)
  assert.throws(() => fixedText(path, { ...values, files: ['b', 'c d'] }), /not a value/)
})

test('every name has a value, and every value a name', () => {
  assert.throws(() => fixedText(path, { folder: '/a' }), /not a value/)
  assert.throws(() => fixedText(path, { ...values, more: 'x' }), /does not name more/)
})

test('a link is not followed, and a missing file is a fault', () => {
  const link = join(folder, 'link.conf')
  symlinkSync(path, link)
  for (const other of [link, join(folder, 'nothing')]) assert.throws(() => fixedText(other, values), /is missing/)
})
