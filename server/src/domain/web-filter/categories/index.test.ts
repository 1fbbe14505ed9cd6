// The index against a plain map, both readers against each other, and files that are damaged, foreign or hostile.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import type { FoundCategory } from '../model.ts'
import { type BuildInput, buildIndex } from './build.ts'
import { openCategoryIndex } from './file-index.ts'
import { fanBitsFor, headerBytes, IndexRefused } from './format.ts'
import { loadCategoryIndex } from './memory-index.ts'

const folders = { gambling: 'extended.id.39', pets: 'extended.id.27', news: 'extended.id.62' }

describe('the category index', () => {
  let root = ''
  let target = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'portcullis-categories-'))
    target = join(root, 'current')
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const put = (path: string, text: string | Buffer): void => {
    mkdirSync(join(root, 'lists', path, '..'), { recursive: true })
    writeFileSync(join(root, 'lists', path), text)
  }
  const build = (changes: Partial<BuildInput> = {}): Promise<void> =>
    buildIndex({
      target,
      lists: join(root, 'lists'),
      archive: null,
      starter: [],
      folders,
      key: Buffer.from('0123456789abcdef'),
      builtAt: 1_700_000_000,
      mostBytes: 1e9,
      ...changes,
    })
  const ask = (host: string, path: string | null = '/') => ({ host, path, scheme: 'http', port: 80 }) as const
  const idsOf = (found: readonly FoundCategory[]): string[] => found.map(({ id }) => id).sort()

  it('answers as a plain map does, from memory and from the file', async () => {
    const random = randomNumbers(7)
    const pick = <T>(from: readonly T[]): T => from[random() % from.length] as T
    const labels = ['a', 'b', 'c', 'www', 'x1', 'long-label-of-a-name', 'com', 'org', 'test', 'co']
    const segments = ['p', 'q', 'page.html', 'A', '%41', 'a%20b', 'x=1', 'x=12']
    const hostOf = (): string => Array.from({ length: 2 + (random() % 4) }, () => pick(labels)).join('.')
    const pathOf = (): string =>
      Array.from({ length: random() % 4 }, () => pick(['/', '/', '?', '&']) + pick(segments)).join('')
    const lists = new Map<string, Set<string>>()
    for (const folder of Object.keys(folders)) {
      const names = Array.from({ length: 250 }, hostOf)
      const pages = Array.from({ length: 250 }, () => `${hostOf()}/${pick(segments)}${pathOf()}`)
      put(`${folder}/domains`, names.join('\n'))
      put(`${folder}/urls`, pages.join('\r\n'))
      lists.set(folder, new Set([...names, ...pages].map(plainEntry)))
    }
    await build()
    const memory = await loadCategoryIndex(target)
    const file = openCategoryIndex(target)
    let hits = 0
    for (let count = 0; count < 25_000; count++) {
      const host = hostOf()
      const path = random() % 5 === 0 ? null : `/${pick(segments)}${pathOf()}`
      const found = memory.find(ask(host, path))
      const expected = Object.entries(folders).flatMap(([folder, id]) =>
        coversOf(host, path).some((entry) => lists.get(folder)?.has(entry)) ? [id] : [],
      )
      assert.deepEqual(idsOf(found), expected.sort(), `${host} ${path}`)
      assert.deepEqual(file.find(ask(host, path)), found)
      if (found.length > 0) hits++
    }
    assert.ok(hits > 2_000 && hits < 23_000, `${hits} of the questions are covered`)
    file.close()
    assert.deepEqual(file.find(ask('a.com')), [], 'a closed file finds nothing')
  })

  it('takes about ten bytes an entry, also with many groups', async () => {
    put('news/domains', Array.from({ length: 50_000 }, (_, at) => `n${at}.test`).join('\n'))
    await build()
    assert.ok(statSync(target).size < 50_000 * 11)
    const index = await loadCategoryIndex(target)
    assert.equal(index.facts.entries, 50_000)
    for (let at = 0; at < 50_000; at += 997) assert.equal(index.find(ask(`n${at}.test`)).length, 1)
    assert.equal(index.find(ask('n50000.test')).length, 0)
    assert.equal(2 ** fanBitsFor(50_000), 1_024)
  })

  it('reads lines as they are in public lists, and counts what is neither a name nor a URL', async () => {
    const good = [
      '\ufeffFirst.Test',
      'UPPER.test.',
      '.dot.test',
      '*.star.test',
      'http://scheme.test/',
      'port.test:8080',
      'пример.test',
      '192.0.2.7',
      '[2001:DB8::1]',
      'bücher.test',
      'note.test # why',
      'tab.test\t',
    ]
    const bad = [
      'two words',
      'com',
      '1.2.3',
      '192.0.2.0/24',
      '192.0.2.300',
      '-',
      'a..b',
      'x@y.test',
      'ftps://a.test',
      '||a.test^',
    ]
    const overlong = `${'a'.repeat(5_000)}.test`
    put('news/domains', ['# comment', '; too', '', ...good, ...bad, overlong, 'last.test'].join('\r\n'))
    put('news/urls', Buffer.concat([Buffer.from('a\0.test\n'), Buffer.from([0xff, 0xfe, 0x2e, 0x61, 0x0a])]))
    await build()
    const index = await loadCategoryIndex(target)
    const [report] = index.facts.table.sources
    assert.equal(report?.entries, good.length + 1)
    assert.equal(report?.refused, bad.length + 3)
    const names = [
      'first.test',
      'upper.test',
      'dot.test',
      'a.star.test',
      'scheme.test',
      'port.test',
      'note.test',
      'tab.test',
    ]
    for (const host of [...names, 'xn--e1afmkfd.test', '192.0.2.7', '[2001:db8::1]', 'last.test', 'LAST.test.'])
      assert.equal(index.find(ask(host)).length, 1, host)
    for (const host of [
      'com',
      'x.com',
      '192.0.2.0',
      '0192.0.2.7',
      'b',
      '',
      '.',
      'a'.repeat(70_000),
      '\0.test',
      '[::',
      '::1%x',
    ])
      assert.deepEqual(index.find(ask(host)), [], host)
  })

  it('is not slowed by hostile questions and keeps to its limits', async () => {
    put('news/urls', `deep.test${'/a'.repeat(40)}\nshort.test${'/a'.repeat(31)}\nlong.test/${'x'.repeat(1_100)}\n`)
    await build()
    const index = await loadCategoryIndex(target)
    assert.equal(index.facts.table.sources[0]?.refused, 2)
    assert.equal(index.find(ask('short.test', '/a'.repeat(30_000))).length, 1)
    for (const path of ['/'.repeat(60_000), '/%', '/%zz', `/${'%41'.repeat(30_000)}`, '*', '', '/\ud800'])
      assert.deepEqual(index.find(ask('short.test', path)), [])
  })

  it('names the operator before others, and a category once with its longest entry', async () => {
    put('pets/domains', 'a.test\n')
    put('pets/urls', 'www.a.test/dogs\n')
    const starter = [
      { file: 'pets/domains', category: folders.pets, entries: ['a.test'] },
      { file: 'news/domains', category: folders.news, entries: ['a.test'] },
    ]
    await build({ starter })
    const index = await loadCategoryIndex(target)
    assert.deepEqual(index.find(ask('a.test', '/dogs/x')), [
      { id: folders.pets, entry: 'a.test/dogs', source: 'operator/pets/urls' },
      { id: folders.news, entry: 'a.test', source: 'starter/news/domains' },
    ])
    assert.deepEqual(index.find(ask('b.a.test', null))[0], {
      id: folders.pets,
      entry: 'a.test',
      source: 'operator/pets/domains',
    })
  })

  it('sorts names that are listed over and over', async () => {
    const names = ['a.test', 'b.test', 'c.test']
    put('news/domains', Array.from({ length: 60_000 }, (_, at) => names[at % 3]).join('\n'))
    await build()
    const index = await loadCategoryIndex(target)
    assert.equal(index.facts.entries, 3)
    for (const name of names) assert.equal(index.find(ask(name)).length, 1)
  })

  it('refuses more entries and more bytes than allowed, and leaves the old file', async () => {
    put('news/domains', 'a.test\nb.test\n')
    await build()
    const before = readFileSync(target)
    await assert.rejects(build({ maxEntries: 1 }), /^Error: The lists have more than 1 entries\.$/)
    await assert.rejects(build({ mostBytes: 100 }), /no room/)
    assert.deepEqual(readFileSync(target), before)
  })

  it('survives in memory and in an open file that another index takes its name', async () => {
    put('news/domains', 'old.test\n')
    await build()
    const memory = await loadCategoryIndex(target)
    const file = openCategoryIndex(target)
    put('news/domains', 'new.test\n')
    await build({ key: Buffer.alloc(16, 9) })
    for (const index of [memory, file]) {
      assert.equal(index.find(ask('old.test')).length, 1)
      assert.equal(index.find(ask('new.test')).length, 0)
    }
    assert.equal((await loadCategoryIndex(target)).find(ask('new.test')).length, 1)
    file.close()
  })

  it('is whole after the process that builds it is killed, whenever that is', async () => {
    put('news/domains', Array.from({ length: 20_000 }, (_, at) => `n${at}.test`).join('\n'))
    await build()
    const input = { target, lists: join(root, 'lists'), archive: null, starter: [], folders, mostBytes: 1e9 }
    const script = `
      import { buildIndex } from ${JSON.stringify(new URL('./build.ts', import.meta.url).href)}
      const input = ${JSON.stringify(input)}
      for (let time = 1; ; time++) await buildIndex({ ...input, key: new Uint8Array(16).fill(time), builtAt: time })`
    for (const builds of [1, 3, 4, 6]) {
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'inherit' })
      const ended = once(child, 'exit')
      let seen = 0
      for (let last = 0; seen < builds && child.exitCode === null; ) {
        const { builtAt } = (await loadCategoryIndex(target)).facts
        if (builtAt !== last) seen++
        last = builtAt
      }
      child.kill('SIGKILL')
      await ended
      const index = await loadCategoryIndex(target)
      assert.equal(index.facts.entries, 20_000)
      assert.equal(index.find(ask('n19999.test')).length, 1)
    }
    await build({ builtAt: 77 })
    assert.equal((await loadCategoryIndex(target)).facts.builtAt, 77)
  })

  it('is refused with a sentence when it is cut off, foreign or damaged at any place', async () => {
    put('news/domains', Array.from({ length: 300 }, (_, at) => `n${at}.test`).join('\n'))
    await build()
    const good = readFileSync(target)
    const bad = join(root, 'bad')
    const refusal = (error: Error): boolean => {
      assert.ok(error instanceof IndexRefused, String(error))
      assert.match(error.message, /^The category index cannot be (?:used: .+|read .+)\.$/)
      return true
    }
    for (const size of [0, 1, 63, 64, 100, good.length - 1]) {
      copyFileSync(target, bad)
      truncateSync(bad, size)
      await assert.rejects(loadCategoryIndex(bad), refusal)
      assert.throws(() => openCategoryIndex(bad), refusal)
    }
    for (const bytes of [Buffer.from('text'), Buffer.alloc(4_096), Buffer.concat([good, Buffer.alloc(1)])]) {
      writeFileSync(bad, bytes)
      await assert.rejects(loadCategoryIndex(bad), refusal)
      assert.throws(() => openCategoryIndex(bad), refusal)
    }
    const random = randomNumbers(3)
    for (let count = 0; count < 300; count++) {
      const bytes = Buffer.from(good)
      const at = random() % bytes.length
      bytes[at] = (bytes[at] as number) ^ (1 + (random() % 255))
      writeFileSync(bad, bytes)
      // Bytes between the parts mean nothing.
      const loaded = await loadCategoryIndex(bad).catch((error: Error) => {
        refusal(error)
        return null
      })
      if (loaded) assert.equal(loaded.find(ask('n1.test')).length, 1)
      try {
        const file = openCategoryIndex(bad)
        file.find(ask('n1.test'))
        file.close()
      } catch (error) {
        refusal(error as Error)
      }
    }
    await assert.rejects(loadCategoryIndex(root), /^Error: The category index cannot be read \(EISDIR\)\.$/)
    await assert.rejects(loadCategoryIndex(join(root, 'none')), /^Error: There is no category index yet\.$/)
  })

  it('is refused when its header lies with a right checksum', async () => {
    put('news/domains', 'a.test\n')
    await build()
    const good = readFileSync(target)
    for (const [at, value] of [
      [8, 2],
      [12, 0xffffffff],
      [12, 2],
      [16, 0],
      [16, 40],
      [20, 0xfffffff0],
      [44, 0x7ff80000],
    ] as const) {
      const bytes = Buffer.from(good)
      bytes.writeUInt32LE(value, at)
      bytes.writeUInt32LE(crc32(bytes.subarray(0, headerBytes - 4)), headerBytes - 4)
      writeFileSync(target, bytes)
      await assert.rejects(loadCategoryIndex(target), IndexRefused)
      assert.throws(() => openCategoryIndex(target), IndexRefused)
    }
  })
})

/** The specification of an entry, written another way than in the product. */
function plainEntry(line: string): string {
  const [host = '', ...rest] = line.split('/')
  if (rest.length === 0) return host
  const path = lower(`/${rest.join('/')}`).replace(/[/?&]+$/, '')
  return bare(host) + path
}

const lower = (path: string): string => decodeURIComponent(path).toLowerCase()
const bare = (host: string): string => (/^www\.[^.]+\./.test(host) ? host.slice(4) : host)

/** Everything that an entry could say to cover this. */
function coversOf(host: string, path: string | null): string[] {
  const parts = host.split('.')
  const names = parts.map((_, at) => parts.slice(at).join('.')).slice(0, -1)
  if (path === null) return names
  const whole = lower(path)
  const ends = [...whole].flatMap((letter, at) => (at > 0 && '/?&'.includes(letter) ? [at] : []))
  return [...names, ...[...ends, whole.length].map((end) => bare(host) + whole.slice(0, end))]
}

/** The same numbers in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
