#!/usr/bin/env node
// The gw command: hands everything to the command line client on the pinned runtime. The file `gw` at the top
// of the checkout is a link to this one, because Node 18 refuses a module whose name has no ending.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, runtime } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { main, Stop } from './lib/terminal.mjs'

await main(() => {
  if (!existsSync(runtime))
    throw new Stop('Portcullis is not installed here yet: please run "npm start" or "npm ci" once.')
  return runProgram([join(root, 'server/src/tools/cli/main.ts'), ...process.argv.slice(2)], { cwd: process.cwd() })
})
