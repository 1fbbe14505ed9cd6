// The index of the bench: so many names in one category, built as gatewayd builds it. It is kept in .cache, because the next run
// needs the same.

import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildIndex } from '../../server/src/domain/web-filter/categories/build.ts'
import { nameOf } from '../scale/category-names.ts'

export const listedCategory = 'extended.id.39'

/** The folder with the file `current`. */
export async function indexFolder(count: number): Promise<string> {
  const folder = join(import.meta.dirname, '..', '..', '.cache', `filter-index-${count}`)
  if (existsSync(join(folder, 'current'))) return folder
  mkdirSync(join(folder, 'gambling'), { recursive: true })
  const names = createWriteStream(join(folder, 'gambling', 'domains'))
  for (let at = 0; at < count; at += 10_000) {
    const some = Array.from({ length: Math.min(10_000, count - at) }, (_, more) => `${nameOf(at + more)}\n`)
    if (!names.write(some.join(''))) await once(names, 'drain')
  }
  names.end()
  await once(names, 'finish')
  const target = join(folder, 'new')
  await buildIndex({
    target,
    lists: folder,
    archive: null,
    starter: [],
    folders: { gambling: listedCategory },
    key: Buffer.alloc(16, 1),
    builtAt: 1,
    mostBytes: Number.MAX_SAFE_INTEGER,
  })
  rmSync(join(folder, 'gambling'), { recursive: true })
  renameSync(target, join(folder, 'current'))
  return folder
}
