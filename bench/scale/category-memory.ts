// What the category index, or a Map with the same names, takes in a process that did nothing else: a process that has just built
// an index frees memory while it is measured. Arguments: `index <file>` or `map <names>`. Prints bytes.

import { loadCategoryIndex } from '../../server/src/domain/web-filter/categories/memory-index.ts'
import { nameOf } from './category-names.ts'

const [kind = '', value = ''] = process.argv.slice(2)

function used(): number {
  if (!globalThis.gc) throw new Error('start this with --expose-gc')
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function make(): Promise<object> {
  if (kind === 'index') return loadCategoryIndex(value)
  return new Map(Array.from({ length: Number(value) }, (_, at) => [nameOf(at), 1]))
}

const before = used()
const held = await make()
const bytes = used() - before
// Used after the measurement, so that it is not collected before.
if (Object.is(held, null)) throw new Error('nothing was made')
process.stdout.write(String(bytes))
