// Enforces import-table.ts, and that only one folder of the console calls the gateway.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { importTable, importTableText, isAllowed, isFor } from './import-table.ts'
import { importsOf, listSources, readSource, repository, withoutComments } from './sources.ts'

const files = listSources('**/*.{ts,tsx}')

describe('the import table of the console', () => {
  const rowOf = (file: string) => importTable.find((row) => isFor(row, file))

  it('has a row for every file', () => {
    assert.deepEqual(
      files.filter((file) => rowOf(file) === undefined),
      [],
    )
  })

  for (const row of importTable) {
    it(`${row.code} imports only what it may: ${row.because}`, () => {
      const wrong = files
        .filter((file) => rowOf(file) === row)
        .flatMap(importsOf)
        .filter(({ target }) => !target.endsWith('.css'))
        .filter(({ file, target }) => !row.may.some((pattern) => isAllowed(pattern, file, target)))
        .map(({ file, target }) => `${file} -> ${target}`)
      assert.deepEqual(wrong, [])
    })
  }

  it('is shown in docs/ARCHITECTURE.md', () => {
    assert.ok(readFileSync(join(repository, 'docs', 'ARCHITECTURE.md'), 'utf8').includes(importTableText()))
  })

  it('has no file that calls the gateway outside of api/', () => {
    const calls = /\bfetch\(|\bnew (?:EventSource|XMLHttpRequest|WebSocket)\b|\bsendBeacon\(/
    const callers = files.filter((file) => calls.test(withoutComments(readSource(file))))
    assert.deepEqual(
      callers.filter((file) => !file.startsWith('api/')),
      [],
    )
  })
})

describe('a source file of the console', () => {
  it('has at most 520 lines', () => {
    const long = [...files, ...listSources('**/*.css')].filter((file) => readSource(file).split('\n').length > 521)
    assert.deepEqual(long, [])
  })

  it('opens with what it owns', () => {
    assert.deepEqual(
      files.filter((file) => !readSource(file).startsWith('//')),
      [],
    )
  })

  it('has a name in kebab-case', () => {
    assert.deepEqual(
      files.filter((file) => !/^(?:[a-z0-9-]+\/)*[a-z0-9-]+(?:\.module)?\.tsx?$/.test(file)),
      [],
    )
  })
})
