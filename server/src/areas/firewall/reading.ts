// Questions about the rules that a worker answers, because they take long or because the configuration is not the one in
// force: what it is asked, and the answers. Pure but for what it remembers.

import type { Preview } from '../../config/change.ts'
import { findIn } from '../../model/item-index.ts'
import type { Config } from '../../model/slots.ts'
import type { Facts } from '../../plan/facts.ts'
import { type Finding, findHygiene, type HygieneInput } from '../../policy/hygiene.ts'
import { ruleSlots } from './config.ts'
import { readPlaces, type UserPlaces } from './connections.ts'
import type { ExplainedPacket } from './contract-explain.ts'
import { type ExplainedFor, effectOf, explainPacket } from './explain.ts'
import { describeOthers, type FindOthers, type People } from './people.ts'
import { policyOf } from './resolve.ts'

export interface ExplainQuestion {
  readonly revision: number
  /** What would be changed in the configuration of the revision. */
  readonly changes: Preview['changes']
  readonly packet: ExplainedPacket
  readonly people: People
  readonly users: UserPlaces
  /** Unix seconds. */
  readonly now: number
}

export function answerExplain(
  config: Config,
  facts: Facts,
  { packet, people, users, now }: ExplainQuestion,
): ExplainedFor {
  const findOthers: FindOthers = ([low, high]) => {
    const inside = [...readPlaces(users).hosts].filter(([address]) => low <= address && address <= high)
    return describeOthers(
      config,
      inside.map(([address, { members }]) => [address, members]),
    )
  }
  return explainPacket(config, facts, packet, { ...people, findOthers }, now)
}

export interface HygieneQuestion {
  readonly revision: number
  /** Rules without a hit as lines `<origin> <unix seconds since when>`: one text of ten thousand is quickly sent. */
  readonly unhit: string
  readonly expired: readonly string[]
}

const covered: NonNullable<HygieneInput['covered']> = new WeakMap()

export const answerHygiene = (config: Config, facts: Facts, { unhit, expired }: HygieneQuestion): Finding[] =>
  findHygiene({
    rules: policyOf(config, facts).rules,
    hits: new Map(unhit === '' ? [] : unhit.split('\n').map(unhitRule)),
    expired: new Set(expired),
    effectOf: ({ table, id }) => effectOf(findIn(config, ruleSlots[table], id)),
    covered,
  })

function unhitRule(line: string): [string, { packets: number; since: number }] {
  const at = line.lastIndexOf(' ')
  return [line.slice(0, at), { packets: 0, since: Number(line.slice(at + 1)) }]
}
