// `npm run bench`: how much the gateway costs beside the raw thing, measured side by side in one run. Rounds are
// interleaved and medians compared, because the machines this runs on are noisy; only ratios mean anything.

import { benchChanges } from './changes.ts'
import { benchDhcp } from './dhcp/bench.ts'
import { benchDns } from './dns/bench.ts'
import { benchFilter } from './filter/bench.ts'
import { firewallParts } from './firewall/bench.ts'
import { benchInspection } from './inspection/bench.ts'
import { benchLogs } from './logs/bench.ts'
import { describeMachine, warnOfLoad } from './machine.ts'
import { type BenchOptions, flags } from './options.ts'
import { benchRequests } from './requests.ts'
import { benchScale } from './scale/bench.ts'
import { benchCategories } from './scale/categories.ts'
import { benchSignatures } from './scale/signatures.ts'
import { benchSessions } from './sessions/bench.ts'
import { benchStart } from './start.ts'
import { printMarkdown, printTable, type Row } from './table.ts'

/** `firewall` runs everything below it. */
const benches: Readonly<Record<string, (options: BenchOptions) => Promise<Row[]>>> = {
  requests: benchRequests,
  changes: benchChanges,
  start: benchStart,
  scale: benchScale,
  logs: benchLogs,
  signatures: benchSignatures,
  categories: benchCategories,
  ...Object.fromEntries(Object.entries(firewallParts).map(([name, part]) => [`firewall/${name}`, part])),
  dhcp: benchDhcp,
  dns: benchDns,
  sessions: benchSessions,
  filter: benchFilter,
  inspection: benchInspection,
}

const args = process.argv.slice(2)
const options: BenchOptions = { isQuick: args.includes(flags.quick), installsPeers: args.includes(flags.installPeers) }
const wanted = args.filter((arg) => !Object.values<string>(flags).includes(arg))
const isPart = (name: string, of: string): boolean => name === of || name.startsWith(`${of}/`)
const unknown = wanted.filter((one) => !Object.keys(benches).some((name) => isPart(name, one)))
if (unknown.length > 0) {
  console.error(`There is no bench called ${unknown.join(', ')}. Known: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}

const machine = describeMachine()
const warning = warnOfLoad()
if (warning !== null) console.error(warning)
const rows: Row[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.some((one) => isPart(name, one))) continue
  console.error(`Measuring ${name} ...`)
  rows.push(...(await bench(options)))
}
const print = args.includes(flags.markdown) ? printMarkdown : printTable
console.log([machine, ...(warning === null ? [] : [warning]), '', print(rows)].join('\n'))
