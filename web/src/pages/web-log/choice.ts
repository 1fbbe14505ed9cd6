// What was chosen on the page of reports, as its address has it. Pure.

import { type Measure, measures, type TopKind } from '@gateway/server/contract/web-log'
import { type Period, readPeriod, searchedValue } from '../../util/report-period.ts'

/** What the address does not say or says wrongly is the last day, by requests. */
export function readChoice(search: Readonly<Record<string, string>>): {
  readonly period: Period
  readonly by: Measure
} {
  return {
    period: readPeriod(search),
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

/** The journal with the requests of one row. */
export const journalSearch = (kind: TopKind, value: string, period: Period): Readonly<Record<string, string>> => ({
  from: period,
  [columns[kind]]: searchedValue(value),
})
