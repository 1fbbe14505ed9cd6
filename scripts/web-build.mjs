// npm run web:build: builds the web console, whether its sources changed or not.

import { ensureConsole } from './lib/console.mjs'
import { ensureDependencies } from './lib/dependencies.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  ensureDependencies()
  return ensureConsole({ isForced: true }) ? 0 : 1
})
