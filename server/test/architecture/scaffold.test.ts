// What `npm run new` writes passes the suite: in a copy of this checkout an area, an endpoint of it and an endpoint of an
// area that is there are added, and the checks that walk areas and endpoints are run.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'

const repository = join(import.meta.dirname, '..', '..', '..')
const run = promisify(execFile)

describe('a new area, two endpoints and an engine from the scaffold', () => {
  let copy = ''

  /** In a process of its own, as a developer would. */
  const node = async (...args: string[]): Promise<string> => {
    // The runner tells child processes to report to it; these report to us.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const done = await run(process.execPath, args, { cwd: copy, env, maxBuffer: 64 * 1024 * 1024 }).catch(
      (error: { stdout: string; stderr: string }) => assert.fail(`${args.join(' ')}\n${error.stdout}${error.stderr}`),
    )
    return done.stdout
  }

  before(async () => {
    copy = mkdtempSync(join(tmpdir(), 'portcullis-scaffold-'))
    const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
    const deleted = new Set(
      execFileSync('/usr/bin/git', ['ls-files', '-z', '--deleted'], { cwd: repository, encoding: 'utf8' }).split('\0'),
    )
    for (const file of execFileSync('/usr/bin/git', listed, { cwd: repository, encoding: 'utf8' }).split('\0')) {
      if (file === '' || deleted.has(file)) continue
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      cpSync(join(repository, file), join(copy, file), { verbatimSymlinks: true })
    }
    symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
    await node('scripts/new.mjs', 'area', 'valet-parking')
    await node('scripts/new.mjs', 'endpoint', 'valet-parking', 'daily-summary')
    await node('scripts/new.mjs', 'endpoint', 'dns', 'cache-summary')
    await node('scripts/golden.mjs')
  })

  after(() => rmSync(copy, { recursive: true, force: true }))

  it('passes lint and types', async () => {
    await node('node_modules/@biomejs/biome/bin/biome', 'check', '--log-level=error')
    await node('node_modules/typescript/bin/tsc', '-p', '.')
  })

  it('passes the tests that walk areas, endpoints, slots and documents', async () => {
    const summary = await node(
      ...['--test', '--test-reporter=tap'],
      ...['server/src/areas/valet-parking/*.test.ts', 'server/src/cli/contract/contracts.test.ts'],
      ...['server/test/architecture/{imports,documents,words}.test.ts', 'server/test/contract/access-table.test.ts'],
      ...['server/test/contract/openapi*.test.ts', 'server/test/durability/released.test.ts'],
    )
    assert.match(summary, /^# fail 0$/m)
  })

  it('serves the new area: what is sent is read back', async () => {
    const summary = await node(
      ...['--test', '--test-reporter=tap', '--test-name-pattern', 'valet_parking|cache_summary'],
      ...['server/test/contract/{read-back,malformed,access,ordered}.test.ts'],
    )
    assert.match(summary, /^# fail 0$/m)
    assert.match(summary, /valet_parking/)
  })
})
