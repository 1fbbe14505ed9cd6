// Decision 53: plain copies of our TypeScript run instead of it, never an old one, and the stripper of the runtime stays out.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ownApp, plainOption } from './plain.ts'

/** Says where its error is, whether the stripper was loaded, and the same of a worker. */
const program = `import { isMainThread, parentPort, Worker } from 'node:worker_threads'
interface Said { readonly where: string; readonly isStripped: boolean; readonly word: string }
const word: string = 'first'; const error: Error = new Error('here')
const where = /program\\.ts:\\d+:\\d+/.exec(error.stack ?? '')?.[0] ?? ''
const said: Said = { where, isStripped: (process as { moduleLoadList?: string[] }).moduleLoadList!.some((name) => name.includes('deps/amaro')), word }
if (isMainThread) new Worker(new URL(import.meta.url)).on('message', (worker: Said) => console.log(JSON.stringify([said, worker])))
else parentPort?.postMessage(said)
`
const place = 'program.ts:3:52'

describe('plain copies', () => {
  const app = mkdtempSync(join(tmpdir(), 'portcullis-plain-'))
  const store = join(app, 'node_modules', '.portcullis-plain')
  const source = join(app, 'server', 'src', 'program.ts')
  const run = (): unknown => {
    const { stdout, stderr } = spawnSync(process.execPath, [plainOption(app), source], { encoding: 'utf8', env: {} })
    assert.equal(stderr, '')
    return JSON.parse(stdout)
  }
  const said = (isStripped: boolean, word = 'first') => [
    { where: place, isStripped, word },
    { where: place, isStripped, word },
  ]
  const make = (): ReturnType<typeof spawn> =>
    spawn(process.execPath, [join(app, 'scripts/plain.mjs')], { env: {}, stdio: 'inherit' })
  const made = (child: ReturnType<typeof make>): Promise<number> =>
    new Promise((resolve) => child.once('exit', (code) => resolve(code ?? -1)))

  before(() => {
    for (const folder of ['server/plain', 'scripts'])
      cpSync(join(ownApp, folder), join(app, folder), { recursive: true })
    mkdirSync(join(app, 'node_modules'))
    const runtime = `node-linux-${process.arch}`
    symlinkSync(join(ownApp, 'node_modules', runtime), join(app, 'node_modules', runtime))
    mkdirSync(join(app, 'server', 'src'))
    writeFileSync(join(app, 'package.json'), '{"type":"module"}')
  })
  beforeEach(async () => {
    rmSync(store, { recursive: true, force: true })
    writeFileSync(source, program)
    assert.equal(await made(make()), 0)
  })
  after(() => rmSync(app, { recursive: true, force: true }))

  test('are run in the process and its workers, and a stack trace names the line and column of the source', () => {
    assert.deepEqual(run(), said(false))
  })

  test('an edited file runs as it is, and its new copy after the next set-up', async () => {
    writeFileSync(source, program.replace("'first'", "'other'"))
    assert.deepEqual(run(), said(true, 'other'))
    assert.equal(await made(make()), 0)
    assert.deepEqual(run(), said(false, 'other'))
  })

  test('a copy that lost its end to a power failure is not run', () => {
    for (const name of readdirSync(store)) if (name.endsWith('.js')) truncateSync(join(store, name), 100)
    assert.deepEqual(run(), said(true))
  })

  test('what other accounts could have written is not run', () => {
    chmodSync(store, 0o775)
    assert.deepEqual(run(), said(true))
    chmodSync(store, 0o757)
    assert.deepEqual(run(), said(true))
  })

  test('a set-up that finds such a folder makes every copy again', async () => {
    for (const name of readdirSync(store))
      writeFileSync(join(store, name), "console.log('[]')\n// end of the plain copy\n")
    assert.deepEqual(run(), [])
    chmodSync(store, 0o775)
    assert.equal(await made(make()), 0)
    assert.deepEqual(run(), said(false))
  })

  test('a folder without copies runs from source', () => {
    rmSync(store, { recursive: true })
    assert.deepEqual(run(), said(true))
  })

  test('every account can read the copies, whatever the umask of the set-up was', () => {
    rmSync(store, { recursive: true })
    const script = `process.umask(0o077); await import(${JSON.stringify(pathToFileURL(join(app, 'scripts/plain.mjs')))})`
    assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }).status, 0)
    assert.equal(statSync(store).mode & 0o777, 0o755)
    const copies = readdirSync(store).filter((name) => name.endsWith('.js'))
    assert.deepEqual(
      copies.map((name) => statSync(join(store, name)).mode & 0o777),
      [0o644],
    )
  })

  test('two set-ups at once make the same copies', async () => {
    rmSync(store, { recursive: true })
    assert.deepEqual(await Promise.all([make(), make(), make()].map(made)), [0, 0, 0])
    assert.deepEqual(run(), said(false))
    assert.deepEqual(
      readdirSync(store).filter((name) => !/^(?:[0-9a-f]{64}\.js|stamp)$/.test(name)),
      [],
    )
  })
})
