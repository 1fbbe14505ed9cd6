import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { keepCompiled } from './compiled.ts'

test('compiled code of many versions is given up, that of a few stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-compiled-'))
  try {
    for (const name of ['one', 'other']) writeFileSync(join(folder, name), 'x'.repeat(100))
    keepCompiled(folder, 200)
    assert.equal(readdirSync(folder).length, 2)
    keepCompiled(folder, 199)
    assert.deepEqual(readdirSync(folder), [])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
