// The parts of `npm run bench` by name; `firewall` means everything below it. What each needs of Debian is in
// scripts/lib/bench-packages.mjs.

import { benchChanges } from './changes.ts'
import { benchDhcp } from './dhcp/bench.ts'
import { benchDns } from './dns/bench.ts'
import { benchFilter } from './filter/bench.ts'
import { firewallParts } from './firewall/bench.ts'
import { benchInspection } from './inspection/bench.ts'
import { benchLogs } from './logs/bench.ts'
import type { BenchOptions } from './options.ts'
import { benchRequests } from './requests.ts'
import { benchScale } from './scale/bench.ts'
import { benchCategories } from './scale/categories.ts'
import { benchSignatures } from './scale/signatures.ts'
import { benchSessions } from './sessions/bench.ts'
import { benchStart } from './start.ts'
import type { Row } from './table.ts'

export const benches: Readonly<Record<string, (options: BenchOptions) => Promise<Row[]>>> = {
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

/** The parts that the words name, all without any; or the words that name none. */
export function choose(words: readonly string[]): { readonly names: string[]; readonly unknown: string[] } {
  const isPart = (name: string, of: string): boolean => name === of || name.startsWith(`${of}/`)
  const all = Object.keys(benches)
  return {
    names: all.filter((name) => words.length === 0 || words.some((word) => isPart(name, word))),
    unknown: words.filter((word) => !all.some((name) => isPart(name, word))),
  }
}
