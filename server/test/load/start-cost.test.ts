// What a gateway with defaults starts and loads. What it does not use costs it no process, no thread and no module: these numbers may
// only fall. Times and megabytes are measured by npm run bench.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { plainOption } from '../../src/shared/files/plain.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { until } from '../support/until.ts'

interface Report {
  readonly number: number
  readonly files: readonly string[]
  readonly runtime: readonly string[]
}

/** By thread, 0 is the first one: files with code, but for the hook and this test's own. */
type Loaded = Readonly<Record<string, number>>

const budget: Readonly<Record<string, Loaded>> = {
  // The program, its bundle and what it shares with a part that is loaded when needed; the second thread writes the log.
  gatewayd: { 0: 3, 1: 2 },
  // The second thread speaks to the kernel.
  applyd: { 0: 2, 1: 2 },
}

/** Modules of the runtime that no start may load: the stripper of types, an HTTP client that is not used, the debugger. */
const unwanted = ['internal/deps/amaro', 'internal/deps/undici', 'internal/test_runner', 'inspector']

/** Reports come ten times a second: what a start still does after it serves is done by then. */
const settled = 20

describe('the start of a gateway with defaults', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-start-'))
  const state = join(folder, 'state')
  const children = new Map<string, ChildProcess>()

  async function start(name: string, ready: string, env: Readonly<Record<string, string>>): Promise<void> {
    const reports = join(folder, name)
    rmSync(reports, { recursive: true, force: true })
    mkdirSync(reports)
    const reporter = pathToFileURL(join(import.meta.dirname, '..', 'support', 'report-start.mjs'))
    reporter.searchParams.set('folder', reports)
    const options = [plainOption(appRoot), `--import=${reporter.href}`, '--disable-warning=ExperimentalWarning']
    const child = spawn(runtimePath(appRoot), [...options, join(appRoot, 'server/src', name, 'main.ts')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PORTCULLIS_STATE: state, PORTCULLIS_DATAPLANE: 'none', ...env },
    })
    children.set(name, child)
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    await until(`${name} serves`, () => said.includes(ready))
  }

  const startBoth = async (): Promise<void> => {
    await start('applyd', 'applyd is ready', {})
    const listen = { PORTCULLIS_LISTEN: '127.0.0.1:0', PORTCULLIS_AGENT_LISTEN: '127.0.0.1:0' }
    await start('gatewayd', '"message":"ready"', { ...listen, PORTCULLIS_ADMIN_PASSWORD: 'correct horse 9' })
  }

  async function stopBoth(): Promise<void> {
    for (const name of ['gatewayd', 'applyd']) {
      const child = children.get(name)
      if (child === undefined) continue
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      children.delete(name)
    }
  }

  const reportsOf = (name: string): ReadonlyMap<string, Report> => {
    const threads = readdirSync(join(folder, name)).filter((file) => !file.endsWith('.draft'))
    return new Map(threads.map((thread) => [thread, JSON.parse(readFileSync(join(folder, name, thread), 'utf8'))]))
  }

  before(async () => {
    const { status } = spawnSync(process.execPath, [join(appRoot, 'scripts/plain.mjs')], { stdio: 'inherit' })
    assert.equal(status, 0)
    // The first one makes what later ones find: keys, the database, the index of categories.
    await startBoth()
    await until('the index is built', () => existsSync(join(state, 'gateway', 'web-filter', 'categories', 'current')))
    await stopBoth()
    await startBoth()
    for (const name of Object.keys(budget))
      await until(`${name} is settled`, () => (reportsOf(name).get('0')?.number ?? 0) > settled)
  })
  after(async () => {
    for (const child of children.values()) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  for (const [name, loaded] of Object.entries(budget)) {
    test(`${name} has no thread and no file beyond those it needs`, () => {
      const isOurs = (url: string): boolean => !url.includes('/server/plain/') && !url.includes('/report-start.mjs')
      const found = [...reportsOf(name)].map(([thread, { files }]) => [thread, files.filter(isOurs).length])
      assert.deepEqual(Object.fromEntries(found), loaded)
    })

    test(`${name} starts no process`, () => {
      const pid = children.get(name)?.pid
      assert.equal(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), '')
    })

    test(`${name} loads nothing of the runtime that it does not use`, () => {
      for (const [thread, { runtime }] of reportsOf(name))
        assert.deepEqual(
          runtime.filter((module) => unwanted.some((part) => module.includes(`NativeModule ${part}`))),
          [],
          thread,
        )
    })
  }
})
