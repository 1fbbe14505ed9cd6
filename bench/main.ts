// `npm run bench`: how much the gateway costs beside the raw thing, measured side by side in one run. Rounds are
// interleaved and medians compared, because the machines this runs on are noisy; only ratios mean anything.

import { join } from 'node:path'
import { describeMachine, warnOfLoad } from './machine.ts'
import { flags } from './options.ts'
import { benches, choose } from './parts.ts'
import { readLacking, runParts } from './run-parts.ts'
import { printMarkdown, printTable } from './table.ts'

const args = process.argv.slice(2)
const given = args.filter((arg) => Object.values<string>(flags).includes(arg))
const { names, unknown } = choose(args.filter((arg) => !given.includes(arg)))
if (unknown.length > 0) {
  console.error(`There is no bench called ${unknown.join(', ')}. Known: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}

const machine = describeMachine()
const warning = warnOfLoad()
if (warning !== null) console.error(warning)
const { rows, failed } = await runParts(join(import.meta.dirname, 'part.ts'), names, given, { lacking: readLacking() })
const print = given.includes(flags.markdown) ? printMarkdown : printTable
console.log([machine, ...(warning === null ? [] : [warning]), '', print(rows)].join('\n'))
for (const { name, why } of failed) console.error(`Failed: ${name}: ${why}`)
process.exitCode = failed.length === 0 ? 0 : 1
