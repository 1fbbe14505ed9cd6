// The rules as the gateway compiles them, as text for nft, and how long compiling took from nothing. Automatic SNAT is
// off, so that traffic costs what the rules cost and no more connections to one server are possible than ports.

import { settings } from '../../server/src/areas/firewall/config.ts'
import { policyOf } from '../../server/src/areas/firewall/resolve.ts'
import { updateSingle } from '../../server/src/core/model/list-edits.ts'
import { noFacts } from '../../server/src/core/plan/facts.ts'
import { printTable } from '../../server/src/core/plan/nft-piece.ts'
import { compilePolicy } from '../../server/src/domain/policy/compile.ts'
import { writePolicy } from './configuration.ts'
import type { BenchPolicy } from './rules.ts'

export interface Compiled {
  readonly text: string
  readonly milliseconds: number
}

export function compile(policy: BenchPolicy): Compiled {
  const last: Record<string, number> = {}
  const nextId = ({ key }: { readonly key: string }): number => {
    last[key] = (last[key] ?? 0) + 1
    return last[key]
  }
  const config = updateSingle(writePolicy({}, policy, { nextId }), settings, { automatic_snat_enabled: false })
  const begun = performance.now()
  const tables = compilePolicy(policyOf(config, noFacts))
  const milliseconds = performance.now() - begun
  return { text: tables.map(({ name, pieces }) => printTable(name, pieces)).join(''), milliseconds }
}
