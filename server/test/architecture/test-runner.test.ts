// The runner of our tests: what passes only alone passes the run and is named, and what fails twice, or where many fail, does not.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const runner = fileURLToPath(new URL('../../../scripts/lib/test-runner.mjs', import.meta.url))

describe('the test runner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-runner-'))
  after(() => rmSync(folder, { recursive: true }))

  const write = (name: string, body: string): string => {
    writeFileSync(join(folder, `${name}.test.mjs`), `import { test } from 'node:test'\n${body}\n`)
    return `${name}.test.mjs`
  }
  const good = write('good', "test('good', () => {}); test('later', { todo: true }, () => { throw new Error('todo') })")
  const bad = write('bad', "test('bad', () => { throw new Error('bad') })")
  const ending = write('ending', 'process.exit(3)')
  writeFileSync(join(folder, 'shared.mjs'), "import { test } from 'node:test'\ntest('shared', () => { throw 1 })\n")
  const helped = write('helped', "import './shared.mjs'")
  const onceBad = (name: string): string => {
    const mark = join(folder, `${name}.mark`)
    const fs = "import { existsSync, writeFileSync } from 'node:fs'\n"
    const fails = `if (!existsSync('${mark}')) { writeFileSync('${mark}', ''); throw new Error('busy') }`
    return write(name, `${fs}test('${name}', () => { ${fails} })`)
  }

  function run(most: number, ...files: string[]): { readonly code: number | null; readonly out: string } {
    // It would take itself for a file of this run.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = [runner, '2', '60000', String(most), ...files]
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env })
    return { code: status, out: stdout }
  }

  it('passes when all pass, and runs nothing twice', () => {
    const { code, out } = run(8, good)
    assert.equal(code, 0, out)
    assert.doesNotMatch(out, /once more|only when run again|Failed twice/)
  })

  it('passes with what passes alone, and names it', () => {
    const { code, out } = run(8, good, onceBad('busy'))
    assert.equal(code, 0, out)
    assert.match(out, /Passed only when run again, alone:\n {2}busy\.test\.mjs\n$/)
  })

  it('fails with what fails twice, whatever the fault', () => {
    const { code, out } = run(8, good, bad, ending, helped, onceBad('other'))
    assert.equal(code, 1)
    assert.match(out, /Passed only when run again, alone:\n {2}other\.test\.mjs\n/)
    assert.match(out, /Failed twice:\n {2}bad\.test\.mjs\n {2}ending\.test\.mjs\n {2}helped\.test\.mjs\n$/)
  })

  it('fails at once when more files fail than a busy machine explains', () => {
    const { code, out } = run(1, onceBad('one'), onceBad('two'))
    assert.equal(code, 1)
    assert.doesNotMatch(out, /once more/)
  })

  it('fails at once when it is strict', () => {
    const { code, out } = run(0, good, onceBad('strict'))
    assert.equal(code, 1)
    assert.doesNotMatch(out, /once more/)
  })
})
