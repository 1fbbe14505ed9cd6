// npm run web:messages: collects the texts of the console and of the contract into the catalogs of its languages, or
// only into those that are named.

import { join } from 'node:path'
import { ensureDependencies } from './lib/dependencies.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  ensureDependencies()
  return runProgram([join(root, 'web/test/support/write-catalogs.ts'), ...process.argv.slice(2)])
})
