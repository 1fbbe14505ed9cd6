// What was chosen on the page of reports, as its address has it. Pure.

import { type Measure, measures, type TopKind } from '@gateway/server/contract/web-log'

export const periods = ['-1d', '-7d', '-30d'] as const
export type Period = (typeof periods)[number]

export const periodSeconds: Readonly<Record<Period, number>> = { '-1d': 86_400, '-7d': 604_800, '-30d': 2_592_000 }

/** What the address does not say or says wrongly is the last day, by requests. */
export function readChoice(search: Readonly<Record<string, string>>): {
  readonly period: Period
  readonly by: Measure
} {
  return {
    period: periods.find((period) => period === search.from) ?? '-1d',
    by: measures.find((measure) => measure === search.by) ?? 'requests',
  }
}

const columns: Readonly<Record<TopKind, string>> = {
  sites: 'host',
  users: 'user_login',
  categories: 'categories',
  sources: 'source_ip',
  rules: 'rule_id',
  results: 'result',
}

/** Commas part values in the address of a log, and a sign before a value turns it round. */
const escaped = (value: string): string => value.replace(/[\\,]/g, '\\$&').replace(/^!/, '\\!')

/** The journal with the requests of one row. */
export const journalSearch = (kind: TopKind, value: string, period: Period): Readonly<Record<string, string>> => ({
  from: period,
  [columns[kind]]: escaped(value),
})
