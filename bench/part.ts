// One part of `npm run bench` in its own process; run-parts.ts starts it.

import { readOptions } from './options.ts'
import { benches } from './parts.ts'
import { reportPart } from './run-parts.ts'

const [name = '', ...args] = process.argv.slice(2)
await reportPart(async () => {
  const part = benches[name]
  if (part === undefined) throw new Error(`There is no bench called ${name}.`)
  return part(readOptions(args))
})
