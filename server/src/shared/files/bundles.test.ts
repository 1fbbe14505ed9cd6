// Decision 118: a program runs from its bundle only while every source is as it was, and its traces name the sources.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ownApp, plainOption } from './plain.ts'

const { listName, programs } = await import(pathToFileURL(join(ownApp, 'server/plain/bundles.mjs')).href)

const program = 'server/src/portald/main.ts'
const thread = 'server/src/gatewayd/threads/reader.ts'
const part = 'server/src/shared/part.ts'

const main = `import { createServer } from 'node:http'
import { Worker } from 'node:worker_threads'
import { describe } from '../shared/part.ts'
interface Unused { readonly one: string }
const isLazy: boolean = !(process as { moduleLoadList?: string[] }).moduleLoadList!.some((name) => name.includes('undici'))
new Worker(new URL('../gatewayd/threads/reader.ts', import.meta.url)).on('message', (worker: unknown) =>
  console.log(JSON.stringify({ process: describe('first'), worker, isLazy, server: typeof createServer })))
`

const worker = `import { parentPort } from 'node:worker_threads'
import { describe } from '../../shared/part.ts'
parentPort!.postMessage(describe('first'))
`

const shared = `
export interface Described { readonly word: string }

export function describe(word: string): Described & Record<string, unknown> {
  const where = /part\\.ts:\\d+/.exec(new Error('here').stack ?? '')?.[0]
  let title = ''
  try {
    Buffer.alloc(-1)
  } catch (error) {
    title = String((error as Error).stack).split('\\n')[0] ?? ''
  }
  return { word, where, title, letters: 'Слово “…” 😀', isLetter: /^[а-я😀]$/u.test('😀'),
    url: import.meta.url, folder: import.meta.dirname, isBundled: !/part\\.ts:\\d+:\\d+/.test(new Error('here').stack ?? '') }
}
`

describe('bundles', () => {
  const app = realpathSync(mkdtempSync(join(tmpdir(), 'portcullis-bundles-')))
  const store = join(app, 'node_modules', '.portcullis-plain')
  const at = (path: string): string => join(app, path)
  const setUp = (): void => {
    const { status, stderr } = spawnSync(process.execPath, [at('scripts/plain.mjs')], { encoding: 'utf8', env: {} })
    assert.deepEqual([status, stderr], [0, ''])
  }
  const run = (): Record<string, unknown> => {
    const { stdout, stderr } = spawnSync(process.execPath, [plainOption(app), at(program)], {
      encoding: 'utf8',
      env: {},
    })
    assert.equal(stderr, '')
    return JSON.parse(stdout)
  }
  const said = (isBundled: boolean, word = 'first') => {
    const one = {
      word,
      where: 'part.ts:5',
      title:
        'RangeError [ERR_OUT_OF_RANGE]: The value of "size" is out of range. It must be >= 0 && <= 9007199254740991. Received -1',
      letters: 'Слово “…” 😀',
      isLetter: true,
      url: pathToFileURL(at(part)).href,
      folder: at('server/src/shared'),
      isBundled,
    }
    return { process: one, worker: one, isLazy: isBundled, server: 'function' }
  }
  const bundles = (): readonly string[] => readdirSync(store).filter((name) => name.startsWith('bundle'))

  before(() => {
    for (const folder of ['server/plain', 'scripts'])
      cpSync(join(ownApp, folder), join(app, folder), { recursive: true })
    mkdirSync(at('node_modules'))
    for (const name of [`node-linux-${process.arch}`, 'rolldown'])
      symlinkSync(join(ownApp, 'node_modules', name), join(app, 'node_modules', name))
    for (const path of [program, thread, part]) mkdirSync(join(at(path), '..'), { recursive: true })
    writeFileSync(at('package.json'), '{"type":"module"}')
  })
  beforeEach(() => {
    rmSync(store, { recursive: true, force: true })
    writeFileSync(at(program), main)
    writeFileSync(at(thread), worker)
    writeFileSync(at(part), shared)
    setUp()
  })
  after(() => rmSync(app, { recursive: true, force: true }))

  test('are run in the process and its workers, with the paths, lines and texts of the sources', () => {
    assert.deepEqual(run(), said(true))
    assert.equal(bundles().length, 2)
  })

  test('an edit of any source runs at once, and its new bundle after the next set-up', () => {
    writeFileSync(at(part), shared.replace('{ word,', "{ word: 'other',"))
    assert.deepEqual(run(), said(false, 'other'))
    setUp()
    assert.deepEqual(run(), said(true, 'other'))
  })

  test('an edit while the bundle is made runs at once too', () => {
    const [second, third] = ['second', 'third'].map((word) => shared.replace('{ word,', `{ word: '${word}',`))
    writeFileSync(at(part), second ?? '')
    // It edits the source when everything has been read.
    writeFileSync(
      at('bundler.mjs'),
      `import { writeFileSync } from 'node:fs'
import { rolldown as real } from 'rolldown'
export async function rolldown(options) {
  const build = await real(options)
  const generate = async (output) => {
    const made = await build.generate(output)
    writeFileSync(${JSON.stringify(at(part))}, ${JSON.stringify(third)})
    return made
  }
  return { generate, close: () => build.close() }
}
`,
    )
    const maker = [at('server/plain/make-bundles.mjs'), pathToFileURL(at('bundler.mjs')).href]
    assert.equal(spawnSync(process.execPath, maker).status, 0)
    const { process: program, worker } = run() as Record<string, { readonly word: string }>
    assert.deepEqual([program?.word, worker?.word], ['third', 'third'])
    setUp()
    assert.deepEqual(run(), said(true, 'third'))
  })

  test('an edit that keeps the length and the time of the content is found', () => {
    // As it is for sources that were not written just now, whose text is not read.
    const path = join(store, listName(program))
    const list = JSON.parse(readFileSync(path, 'utf8')) as { readonly sources: { readonly path: string }[] }
    const sources = list.sources.map((one) => ({ ...one, changed: statSync(at(one.path)).ctimeMs, sum: 'not read' }))
    writeFileSync(path, JSON.stringify({ ...list, sources }))
    assert.deepEqual(run().process, said(true).process)
    const { atimeMs, mtimeMs } = statSync(at(part))
    writeFileSync(at(part), shared.replace("'here'", "'HERE'").replace('{ word,', '{word ,'))
    utimesSync(at(part), atimeMs / 1000, mtimeMs / 1000)
    assert.deepEqual(run().process, said(false).process)
  })

  test('sources that were only copied or touched still run from it', () => {
    for (const path of [program, thread, part]) {
      const text = readFileSync(at(path))
      rmSync(at(path))
      writeFileSync(at(path), text)
    }
    assert.deepEqual(run(), said(true))
  })

  test('a bundle that is replaced stays for a day, however old it is', () => {
    const { folder } = JSON.parse(readFileSync(join(store, listName(program)), 'utf8')) as { readonly folder: string }
    utimesSync(join(store, folder), 0, 0)
    for (const word of ['second', 'third']) {
      writeFileSync(at(part), shared.replace('{ word,', `{ word: '${word}',`))
      setUp()
      assert.ok(existsSync(join(store, folder)), `gone after the ${word}`)
    }
    utimesSync(join(store, folder), 0, 0)
    writeFileSync(at(part), `${shared}\n`)
    setUp()
    assert.ok(!existsSync(join(store, folder)))
  })

  test('a source that is gone, and a bundle that is gone or whose list was cut, run from the sources', () => {
    for (const name of bundles()) rmSync(join(store, name), { recursive: true })
    assert.deepEqual(run(), said(false))
    setUp()
    rmSync(join(store, 'stamp'))
    setUp()
    assert.deepEqual(run(), said(true))
    for (const name of readdirSync(store)) if (name.endsWith('.list')) writeFileSync(join(store, name), '{"folder":')
    assert.deepEqual(run(), said(false))
  })

  test('what other accounts could have written is not run', () => {
    chmodSync(store, 0o777)
    assert.deepEqual(run(), said(false))
  })

  test('every program of the list is there', () => {
    assert.deepEqual(
      programs.filter((path: string) => !existsSync(join(ownApp, path))),
      [],
    )
  })
})
