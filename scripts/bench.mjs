// npm run bench: the measurements of bench/; arguments are handed on. With --compare REV another version is measured in turn.

import { join } from 'node:path'
import { prepareBench } from './lib/bench-packages.mjs'
import { skipsPackages } from './lib/packages.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  const args = setUp(process.argv.slice(2), { packages: [] })
  const compareAt = args.indexOf('--compare')
  // The word after it is a revision, not a part.
  const parts = args.filter((_, at) => compareAt < 0 || at !== compareAt + 1)
  const lacking = prepareBench(parts, { skip: skipsPackages() })
  const program = compareAt < 0 ? 'bench/main.ts' : 'bench/compare/main.ts'
  const env = { PORTCULLIS_BENCH_LACKING: JSON.stringify(lacking) }
  return runProgram([join(root, program), ...args], { endsWithUs: true, env })
})
