// npm start: installs what is missing, then starts the gateway and stays until it ends.

import { join } from 'node:path'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  const args = setUp(process.argv.slice(2))
  return runProgram([join(root, 'server/src/launcher/main.ts'), ...args], { endsWithUs: true })
})
