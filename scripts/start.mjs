// npm start: installs what is missing, builds the console when it changed, then starts the gateway and stays until it ends.

import { join } from 'node:path'
import { ensureConsole } from './lib/console.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { takeSecret } from './lib/secret.mjs'
import { setUp } from './lib/setup.mjs'
import { main } from './lib/terminal.mjs'

// Before anything is installed or started, which would inherit it.
const password = takeSecret('PORTCULLIS_ADMIN_PASSWORD')

await main(() => {
  const args = setUp(process.argv.slice(2))
  ensureConsole()
  return runProgram([join(root, 'server/src/tools/launcher/main.ts'), ...args], {
    endsWithUs: true,
    secret: password === undefined ? undefined : { variable: 'PORTCULLIS_ADMIN_PASSWORD_FD', value: password },
  })
})
