// npm run new: writes the files of a new area, endpoint or engine, so that one starts from something that passes every
// check. docs/adding-an-area.md, adding-an-endpoint.md and adding-an-engine.md say what to do next.

import { join } from 'node:path'
import { ensureDependencies } from './lib/dependencies.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { main, Stop, say } from './lib/terminal.mjs'
import { newArea } from './scaffold/area.mjs'
import { newEndpoint } from './scaffold/endpoint.mjs'

const usage = `npm run new area NAME                     an area with settings and a list, such as parking
npm run new endpoint AREA NAME            a call that reads something, such as parking summary
Names are lower case, words joined by hyphens.`

const kinds = { area: newArea, endpoint: newEndpoint }
const nameForm = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

await main(async () => {
  const [kind, ...names] = process.argv.slice(2)
  const make = kinds[kind]
  if (make === undefined || names.length !== make.length || !names.every((name) => nameForm.test(name)))
    throw new Stop(usage)
  ensureDependencies()
  const { written, next } = make(...names)
  // Imports and long lines in the order that the linter wants them.
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const sources = written.filter((file) => file.endsWith('.ts'))
  const code = await runProgram([biome, 'check', '--write', '--log-level=error', ...sources])
  if (code !== 0) return code
  for (const file of written) say(`wrote  ${file}`)
  say(`\nNext: ${next}`)
  return 0
})
