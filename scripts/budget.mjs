// npm run budget: counts what operations cost and compares it with bench/budget/numbers.json; arguments are handed on.

import { join } from 'node:path'
import { budgetPackages } from './lib/bench-packages.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  const args = setUp(process.argv.slice(2), { packages: budgetPackages })
  return runProgram([join(root, 'bench/budget/main.ts'), ...args], { endsWithUs: true })
})
