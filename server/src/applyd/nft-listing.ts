// Reads nft's JSON listing of one table: a fingerprint for each chain, set and map that is equal for equal content,
// whatever counters, handles and dynamic sets say, and what the rules of each origin counted. Pure.

import type { HitCount } from '../core/plan/artifacts.ts'
import type { Counts } from '../shared/netlink.ts'
import { chainShape, digest, setShape } from './pieces.ts'

export interface Listing {
  /** By the same key as pieces. */
  readonly pieces: ReadonlyMap<string, { readonly fingerprint: string; readonly shape: string }>
  /** False when the table has a flag or holds an object that is neither chain, set nor map: no piece is one. */
  readonly isPlain: boolean
}

type Fields = { readonly [key: string]: Json }
type Json = null | boolean | number | string | readonly Json[] | Fields

/** `lively` names the sets whose elements are not ours. */
export function parseListing(text: string, lively: ReadonlySet<string>): Listing {
  const objects = (JSON.parse(text) as { nftables: Fields[] }).nftables
  const all = (kind: string) => objects.flatMap((object) => (isFields(object[kind]) ? [object[kind]] : []))
  const chains = all('chain')
  const rules = Map.groupBy(all('rule'), ({ chain }) => String(chain))
  const pieces: Map<string, { fingerprint: string; shape: string }> = new Map(
    chains.map((chain) => {
      const own = rules.get(String(chain.name)) ?? []
      const shape = chainShape(listedHook(chain), own.map(originOf))
      return [`chain ${chain.name}`, { fingerprint: digest([chain, ...own].map(withoutState)), shape }]
    }),
  )
  for (const kind of ['set', 'map']) {
    for (const set of all(kind)) {
      const { elem = [], ...head } = set
      const isLively = lively.has(String(set.name))
      // Elements come in any order.
      const elements = Array.isArray(elem) && !isLively ? elem.map(withoutState).toSorted() : []
      const shape = setShape(Array.isArray(elem) ? elem.length : 0)
      pieces.set(`${kind} ${set.name}`, { fingerprint: digest([withoutState(head), elements]), shape })
    }
  }
  const known = new Set(['metainfo', 'table', 'chain', 'rule', 'set', 'map'])
  const isForeign = (object: Fields) => Object.keys(object).some((kind) => !known.has(kind))
  const isPlain = !objects.some(isForeign) && !all('table').some((table) => 'flags' in table)
  return { pieces, isPlain }
}

/** Name and hook of each chain of a table, in order of the names, from a listing of the chains of all tables. */
export function listChains(text: string | null, table: string): string[] {
  const objects = (JSON.parse(text ?? '{"nftables":[]}') as { nftables: { chain?: Fields }[] }).nftables
  const chains = objects.flatMap(({ chain }) => (chain && `${chain.family} ${chain.table}` === table ? [chain] : []))
  return chains.map((chain) => `${chain.name} ${listedHook(chain)}`).toSorted()
}

const listedHook = ({ type, hook, policy }: Fields): string => (hook ? `${type} ${hook} ${policy}` : '')

/** Adds what the rules of each origin counted, in all chains of the listing or in these. */
export function addCounts(counts: Counts, text: string | null, chains: ReadonlySet<string> | null): void {
  const objects = (JSON.parse(text ?? '{"nftables":[]}') as { nftables: { rule?: Fields }[] }).nftables
  for (const { rule } of objects) {
    if (!rule?.comment || (chains && !chains.has(String(rule.chain)))) continue
    const before = counts.get(originOf(rule))
    const { packets, bytes } = counterOf(rule)
    counts.set(originOf(rule), { packets: (before?.packets ?? 0) + packets, bytes: (before?.bytes ?? 0) + bytes })
  }
}

const originOf = ({ comment }: Fields): string => String(comment ?? '')

function counterOf({ expr }: Fields): Pick<HitCount, 'packets' | 'bytes'> {
  const statements = (expr ?? []) as readonly Json[]
  const counter = statements.map((statement) => (isFields(statement) ? statement.counter : null)).find(isFields)
  return { packets: Number(counter?.packets ?? 0), bytes: Number(counter?.bytes ?? 0) }
}

/** What changes without a change of the ruleset. A quote inside a text is escaped, so no text looks like this. */
const state = /"(?:handle|expires|used)":\d+,?|"packets":\d+,"bytes":\d+/g

const withoutState = (value: Json): string => JSON.stringify(value).replace(state, '')

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
