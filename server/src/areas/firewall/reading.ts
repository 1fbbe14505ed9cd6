// Questions about the rules that a worker answers, because they take long or because the configuration is not the one in
// force: what it is asked, and the answers. Pure but for what it remembers.

import type { Preview } from '../../core/config/change.ts'
import { findIn } from '../../core/model/item-index.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Conflict } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { type Finding, findHygiene, type HygieneInput } from '../../domain/policy/hygiene.ts'
import { sentencesIn } from '../../shared/said.ts'
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
  /** What makes the answer uncertain, beside the rules. */
  readonly notes: readonly string[]
}

/** Rules of others come beside ours, and may drop what ours accept. */
export const foreignNotes = (conflicts: readonly Conflict[]): string[] =>
  conflicts.filter(({ code }) => code.startsWith('rules.')).map(({ title, detail }) => `${title}. ${detail}`)

/** They say nothing about a packet that our own rules drop. */
export function withNotes<E extends Pick<ExplainedFor, 'verdict' | 'is_complete' | 'incomplete_because'>>(
  explained: E,
  notes: readonly string[],
): E {
  if (notes.length === 0 || explained.verdict === 'drop' || explained.verdict === 'reject') return explained
  return { ...explained, is_complete: false, incomplete_because: [...explained.incomplete_because, ...notes] }
}

export function answerExplain(
  config: Config,
  facts: Facts,
  { packet, people, users, now, notes }: ExplainQuestion,
): ExplainedFor {
  const findOthers: FindOthers = ([low, high]) => {
    const inside = [...readPlaces(users).hosts].filter(([address]) => low <= address && address <= high)
    return describeOthers(
      config,
      inside.map(([address, { members }]) => [address, members]),
    )
  }
  return withNotes(explainPacket(config, facts, packet, { ...people, findOthers }, now), notes)
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
  }).map((finding) => ({ ...finding, sentences: sentencesIn(finding.text) }))

function unhitRule(line: string): [string, { packets: number; since: number }] {
  const at = line.lastIndexOf(' ')
  return [line.slice(0, at), { packets: 0, since: Number(line.slice(at + 1)) }]
}
