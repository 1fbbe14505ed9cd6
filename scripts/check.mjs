// npm run check: what can be known without namespaces, quickly.

import { ensureDependencies } from './lib/dependencies.mjs'
import { consoleBuild, lint, runPhases, tests, types } from './lib/phases.mjs'
import { ensurePlain } from './lib/plain.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  ensureDependencies()
  ensurePlain()
  return runPhases([lint, types, consoleBuild, tests({ name: 'tests: unit, contract', hasNamespaces: false })])
})
