// npm run golden: rewrites the expected output of every golden case. Read the diff before you commit it.

import { join } from 'node:path'
import { ensureDependencies } from './lib/dependencies.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  ensureDependencies()
  return runProgram([join(root, 'server/test/support/golden.ts'), '--write', ...process.argv.slice(2)])
})
