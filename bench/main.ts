// `npm run bench`: how much the gateway costs beside the raw thing, measured side by side in one run. Rounds are
// interleaved and medians compared, because the machines this runs on are noisy; only ratios mean anything.

import { benchChanges } from './changes.ts'
import { benchDhcp } from './dhcp/bench.ts'
import { benchDns } from './dns/bench.ts'
import { benchFirewall } from './firewall/bench.ts'
import { type BenchOptions, flags } from './options.ts'
import { benchRequests } from './requests.ts'
import { benchScale } from './scale/bench.ts'
import { benchLogs } from './scale/logs.ts'
import { benchSignatures } from './scale/signatures.ts'
import { benchStart } from './start.ts'
import { printTable, type Row } from './table.ts'

const benches: Readonly<Record<string, (options: BenchOptions) => Promise<Row[]>>> = {
  requests: benchRequests,
  changes: benchChanges,
  start: benchStart,
  scale: benchScale,
  logs: benchLogs,
  signatures: benchSignatures,
  firewall: benchFirewall,
  dhcp: benchDhcp,
  dns: benchDns,
}

const args = process.argv.slice(2)
const options: BenchOptions = { isQuick: args.includes(flags.quick), installsPeers: args.includes(flags.installPeers) }
const wanted = args.filter((arg) => !Object.values<string>(flags).includes(arg))
const unknown = wanted.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(`There is no bench called ${unknown.join(', ')}. Known: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}

const rows: Row[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.error(`Measuring ${name} ...`)
  rows.push(...(await bench(options)))
}
console.log(printTable(rows))
