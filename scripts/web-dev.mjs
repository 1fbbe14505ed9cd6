// npm run web:dev: the console from its sources, which the browser shows as they are changed. Its calls go to a gateway that runs:
// https://127.0.0.1:8443 unless PORTCULLIS_DEV_GATEWAY names another one.

import { join } from 'node:path'
import { viteConfig } from './lib/console.mjs'
import { ensureDependencies } from './lib/dependencies.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { main } from './lib/terminal.mjs'

await main(() => {
  ensureDependencies()
  const args = ['--config', viteConfig, ...process.argv.slice(2)]
  return runProgram([join(root, 'node_modules/vite/bin/vite.js'), ...args], { endsWithUs: true })
})
