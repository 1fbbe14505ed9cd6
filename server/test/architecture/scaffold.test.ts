// What `npm run new` writes passes the suite: in a copy of this checkout a throw-away area, endpoints and engines are added,
// the checks that walk them are run, and they are removed again.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { plainOption } from '../../src/shared/files/plain.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
/** Always the same place, for which compiled code is kept between runs. */
const copy = join(repository, '.cache', 'scaffold')
const run = promisify(execFile)
/** Only for a test that hangs. */
const limitMs = 600_000

const git = (cwd: string, ...args: string[]): string[] =>
  execFileSync('/usr/bin/git', args, { cwd, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '')

interface Ended {
  readonly code?: number
  readonly stdout: string
  readonly stderr: string
}

describe('a new area, two endpoints and two engines from the scaffold', () => {
  /** In a separate process, as a developer would. */
  const start = (args: readonly string[]): Promise<Ended> => {
    // The runner has child processes report to it; these report to us.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const options = { cwd: copy, env, maxBuffer: 64 * 1024 * 1024 }
    return run(process.execPath, [plainOption(copy), ...args], options).catch((error: Ended) => error)
  }
  const node = async (...args: string[]): Promise<string> => {
    const { code = 0, stdout, stderr } = await start(args)
    assert.equal(code, 0, `${args.join(' ')}\n${stdout}${stderr}`)
    return stdout
  }
  const create = (...names: string[]): Promise<string> => node('scripts/new.mjs', ...names)
  const changedFiles = (): string[] =>
    git(copy, 'ls-files', '-z', '--modified', '--others', '--exclude-standard').filter(
      (file) => file !== 'node_modules',
    )

  before(() => {
    rmSync(copy, { recursive: true, force: true })
    mkdirSync(copy, { recursive: true })
    const deleted = new Set(git(repository, 'ls-files', '-z', '--deleted'))
    const listed = git(repository, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate')
    for (const file of listed.filter((path) => !deleted.has(path))) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      cpSync(join(repository, file), join(copy, file), { verbatimSymlinks: true })
    }
    git(copy, 'init', '--quiet')
    git(copy, 'add', '--all')
    symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
  })

  after(() => rmSync(copy, { recursive: true, force: true }))

  it('leave nothing half-written when they cannot be added', async () => {
    const refusals: readonly (readonly [RegExp, ...string[]])[] = [
      [/npm run new area NAME/, 'engine', 'dns'],
      [/There is no area parking\./, 'engine', 'parking', 'gatekeeper'],
      [/The area dns renders already\./, 'engine', 'dns', 'gatekeeper'],
      [/The area vpn has no switch/, 'engine', 'vpn', 'gatekeeper'],
      [/engines\/kit is in use\./, 'engine', 'mail', 'kit'],
      [/Another engine has a file ulogd\.conf\./, 'engine', 'mail', 'ulogd'],
      // Everything is written before the linter finds that it is not a name.
      [/Nothing was written/, 'area', 'class'],
    ]
    for (const [reason, ...names] of refusals) {
      const { code, stderr } = await start(['scripts/new.mjs', ...names])
      assert.equal(code, 1, names.join(' '))
      assert.match(stderr, reason)
    }
    assert.deepEqual(changedFiles(), [])
  })

  it('are added, an engine with ten files at most and none of the core of applyd, of the plan or of the client', async () => {
    await create('area', 'valet-parking')
    await create('endpoint', 'valet-parking', 'daily-summary')
    await create('endpoint', 'dns', 'cache-summary')
    await create('engine', 'intrusion-prevention', 'page-check')
    const report = await create('engine', 'valet-parking', 'gatekeeper')
    const touched = [...report.matchAll(/^(?:wrote|changed) +(\S+)$/gm)].map(([, file = '']) => file)
    assert.ok(touched.length > 5 && touched.length <= 10, report)
    const core = /^server\/src\/(?:applyd|core\/plan|gatewayd\/apply)\//
    assert.deepEqual(
      touched.filter((file) => core.test(file)),
      [],
    )
    await node('scripts/golden.mjs')
  })

  it('pass lint and types', async () => {
    const sources = changedFiles().filter((file) => /\.(?:ts|json)$/.test(file))
    await Promise.all([
      node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--log-level=warn', ...sources),
      node('node_modules/typescript/bin/tsc', '--singleThreaded', '-p', '.'),
    ])
  })

  it('pass the tests that walk areas, endpoints, slots, engines and documents', async () => {
    const files = globSync(
      [
        'server/src/areas/valet-parking/*.test.ts',
        'server/src/tools/cli/contract/contracts.test.ts',
        'server/src/engines/{gatekeeper,page-check}/**/*.test.ts',
        'server/src/applyd/tables.test.ts',
        'server/test/golden.test.ts',
        // Two try programs that know nothing of areas and engines.
        'server/test/architecture/!(scaffold|bench|test-runner).test.ts',
        'server/test/contract/{access-by-role,openapi*}.test.ts',
        'server/test/durability/released.test.ts',
      ],
      { cwd: copy },
    )
    const summary = await node('scripts/lib/tests/runner.mjs', String(cpus().length), String(limitMs), ...files)
    assert.match(summary, /^ℹ fail 0$/m)
    for (const sentence of ['The gatekeeper is enabled.', 'two entries cannot have one title', 'plain English'])
      assert.ok(summary.includes(`✔ ${sentence} (`), sentence)
  })

  it('are served: what is sent is read back', async () => {
    const summary = await node(
      '--test',
      // The gateway is loaded once for all of them.
      '--test-isolation=none',
      '--test-reporter=tap',
      '--test-name-pattern',
      'valet_parking|cache_summary',
      'server/test/contract/{read-back,malformed,access,ordered}.test.ts',
    )
    assert.match(summary, /^# fail 0$/m)
    assert.match(summary, /valet_parking\/daily_summary/)
  })

  it('are removed again, and no golden file or document has a trace of them', async () => {
    git(copy, 'checkout', '--quiet', '.')
    git(copy, 'clean', '--quiet', '-d', '--force', '--exclude=node_modules')
    await node('scripts/golden.mjs')
    assert.deepEqual(changedFiles(), [])
  })
})
