// npm run web:shots: takes the pictures of the console that the README shows. Look at each before you commit it.

import { join } from 'node:path'
import { ensureConsole } from './lib/console.mjs'
import { testPackages } from './lib/packages.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  setUp(process.argv.slice(2), { packages: testPackages })
  ensureConsole()
  return runProgram([join(root, 'web/test/support/take-shots.ts')])
})
