// Five million category entries: building the index, loading it, what an entry takes in memory, and questions a second, beside
// a plain Map with the same names where that fits.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildIndex } from '../../server/src/domain/web-filter/categories/build.ts'
import { openCategoryIndex } from '../../server/src/domain/web-filter/categories/file-index.ts'
import { loadCategoryIndex } from '../../server/src/domain/web-filter/categories/memory-index.ts'
import type { CategoryLookup } from '../../server/src/domain/web-filter/model.ts'
import { benchFolder } from '../folder.ts'
import type { BenchOptions } from '../options.ts'
import { aimed, grouped, median, milliseconds, plain, type Row } from '../table.ts'
import { nameOf } from './category-names.ts'

const loadLimitMs = 3_000
const bytesLimit = 60
const mapEntries = 200_000

export async function benchCategories({ isQuick }: BenchOptions): Promise<Row[]> {
  const count = isQuick ? 500_000 : 5_000_000
  const folder = join(benchFolder(), 'categories')
  mkdirSync(join(folder, 'gambling'), { recursive: true })
  await writeNames(join(folder, 'gambling', 'domains'), count)
  const target = join(folder, 'current')
  const input = { target, lists: folder, archive: null, starter: [], folders: { gambling: 'extended.id.39' } }
  const built = await timeOf(() =>
    buildIndex({ ...input, key: Buffer.alloc(16, 1), builtAt: 1, mostBytes: Number.MAX_SAFE_INTEGER }),
  )
  const index = await loadCategoryIndex(target)
  const bytes = memoryOf('index', target)
  // The columns alone take as much: less means that something else was measured.
  if (bytes < index.facts.entries * 10) throw new Error(`the memory of the index was not measured: ${bytes} bytes`)
  const loads: number[] = []
  for (let round = 0; round < 3; round++) loads.push(await timeOf(() => loadCategoryIndex(target)))
  const file = openCategoryIndex(target)
  const rows = [
    plain(`${grouped(count)} category entries built`, milliseconds(built)),
    aimed(
      plain(`${grouped(count)} category entries loaded`, milliseconds(median(loads))),
      `less than ${loadLimitMs} ms`,
      median(loads) < loadLimitMs,
    ),
    aimed(
      {
        ...plain('memory of a category entry', `${(bytes / count).toFixed(1)} bytes`),
        raw: `${mapBytes().toFixed(0)} bytes Map`,
      },
      `less than ${bytesLimit} bytes`,
      bytes / count < bytesLimit,
    ),
    plain('category questions from memory, half of them listed', `${grouped(asked(index, count, 300_000))} a second`),
    plain('category questions from the file', `${grouped(asked(file, count, 5_000))} a second`),
    plain('size of the category index', `${(statSync(target).size / count).toFixed(1)} bytes an entry`),
  ]
  file.close()
  return rows
}

async function writeNames(path: string, count: number): Promise<void> {
  const file = createWriteStream(path)
  for (let at = 0; at < count; at += 10_000) {
    const names = Array.from({ length: Math.min(10_000, count - at) }, (_, more) => `${nameOf(at + more)}\n`)
    if (!file.write(names.join(''))) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

function asked(lookup: CategoryLookup, count: number, questions: number): number {
  const hosts = Array.from({ length: questions }, (_, at) => nameOf((at * 7_919) % (2 * count)))
  const ask = (host: string): number => lookup.find({ host, path: '/a/page.html', scheme: 'http', port: 80 }).length
  for (const host of hosts.slice(0, questions / 10)) ask(host)
  const begun = performance.now()
  let found = 0
  for (const host of hosts) found += ask(host)
  const seconds = (performance.now() - begun) / 1000
  if (found < questions / 4) throw new Error(`only ${found} of ${questions} questions found something`)
  return Math.round(questions / seconds)
}

/** What the same names take in a Map, measured with fewer of them. */
function mapBytes(): number {
  const bytes = memoryOf('map', String(mapEntries)) / mapEntries
  if (bytes <= 0) throw new Error(`the memory of a Map was not measured: ${bytes} bytes`)
  return bytes
}

function memoryOf(kind: 'index' | 'map', value: string): number {
  const program = join(import.meta.dirname, 'category-memory.ts')
  return Number(execFileSync(process.execPath, ['--expose-gc', program, kind, value], { encoding: 'utf8' }))
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
