// npm run bench: the measurements of bench/; arguments are handed on.

import { join } from 'node:path'
import { packagesOfBench } from './lib/bench-packages.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  const asked = process.argv.slice(2)
  const args = setUp(asked, { packages: packagesOfBench(asked) })
  return runProgram([join(root, 'bench/main.ts'), ...args], { endsWithUs: true })
})
