// npm test: everything, end to end included. With --nightly also what takes hours.

import { needsView, runInView } from './lib/open-view.mjs'
import { nightlyPackages, testPackages } from './lib/packages.mjs'
import { consoleBuild, lint, runPhases, tests, types } from './lib/phases.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  const isNightly = process.argv.includes('--nightly')
  const args = setUp(process.argv.slice(2), { packages: isNightly ? nightlyPackages : testPackages })
  if (needsView()) return runInView('scripts/test.mjs', args)
  const all = tests({ name: 'tests: unit, contract, end to end', isNightly })
  return runPhases([lint, types, consoleBuild, all])
})
