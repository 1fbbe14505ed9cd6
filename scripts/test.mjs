// npm test: everything, end to end included. With --nightly also what takes hours.

import { testPackages } from './lib/packages.mjs'
import { consoleBuild, lint, runPhases, tests, types } from './lib/phases.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  const args = setUp(process.argv.slice(2), { packages: testPackages })
  const all = tests({ name: 'tests: unit, contract, end to end', isNightly: args.includes('--nightly') })
  return runPhases([lint, types, consoleBuild, all])
})
