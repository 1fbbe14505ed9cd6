// `npm run bench firewall`: the same rules in the gateway, in nft by hand and in other firewalls of Debian. Only ratios
// mean anything; the aims are those of docs/performance.md. Each part is also a bench of its own: `npm run bench
// firewall/lists`.

import type { BenchOptions } from '../options.ts'
import type { Row } from '../table.ts'
import { benchChanges } from './changes.ts'
import { benchDnsBeside } from './dns.ts'
import { benchLists } from './lists.ts'
import { benchLoad } from './load.ts'
import { benchMemory } from './memory.ts'
import { benchPeers } from './peers/bench.ts'
import { benchReads } from './reads.ts'
import { benchTrafficRows } from './traffic-rows.ts'
import { benchWriters } from './writers.ts'

type Part = (options: BenchOptions) => Promise<Row[]>

const asRoot =
  (part: Part): Part =>
  (options) => {
    if (process.geteuid?.() !== 0)
      throw new Error('The firewall bench makes network namespaces, for which it needs root.')
    return part(options)
  }

export const firewallParts: Readonly<Record<string, Part>> = {
  changes: asRoot(benchChanges),
  lists: asRoot(benchLists),
  writers: asRoot(benchWriters),
  dns: asRoot(benchDnsBeside),
  reads: asRoot(benchReads),
  memory: asRoot(benchMemory),
  load: asRoot(benchLoad),
  traffic: asRoot(benchTrafficRows),
  peers: asRoot(benchPeers),
}
