// npm run new: writes the files of a new area, endpoint or engine, so that one starts from something that passes every
// check. docs/adding-an-area.md, adding-an-endpoint.md and adding-an-engine.md say what to do next.

import { join } from 'node:path'
import { ensureDependencies } from './lib/dependencies.mjs'
import { root } from './lib/paths.mjs'
import { runProgram } from './lib/run.mjs'
import { main, Stop, say } from './lib/terminal.mjs'
import { newArea } from './scaffold/area.mjs'
import { newEndpoint } from './scaffold/endpoint.mjs'
import { newEngine } from './scaffold/engine.mjs'

const usage = `npm run new area NAME                     an area with settings and a list, such as parking
npm run new endpoint AREA NAME            a call that reads something, such as parking summary
npm run new engine AREA NAME              a program that works for the area, such as parking gatekeeper
Names are lower case, words joined by hyphens.`

const kinds = { area: newArea, endpoint: newEndpoint, engine: newEngine }
const nameForm = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

await main(async () => {
  const [kind, ...names] = process.argv.slice(2)
  const make = kinds[kind]
  if (make === undefined || names.length !== make.length || !names.every((name) => nameForm.test(name)))
    throw new Stop(usage)
  ensureDependencies()
  const { written, created, undo, next } = make(...names)
  const code = await format(written).catch((error) => {
    undo()
    throw error
  })
  if (code !== 0) {
    undo()
    throw new Stop('Nothing was written, because the linter refuses the result. Another name may help.')
  }
  for (const file of written) say(`${created.includes(file) ? 'wrote  ' : 'changed'}  ${file}`)
  say(`\nNext: ${next}`)
  return 0
})

/** Imports and long lines in the order that the linter wants them. */
function format(written) {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const sources = written.filter((file) => /\.(?:ts|json)$/.test(file))
  return runProgram([biome, 'check', '--write', '--log-level=error', ...sources])
}
