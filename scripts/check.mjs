// npm run check: what can be known without namespaces, quickly.

import { testPackages } from './lib/packages.mjs'
import { consoleBuild, lint, runPhases, tests, types } from './lib/phases.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  // Unit tests start nft and engines too.
  setUp(process.argv.slice(2), { packages: testPackages })
  return runPhases([lint, types, consoleBuild, tests({ name: 'tests: unit, contract', hasNamespaces: false })])
})
