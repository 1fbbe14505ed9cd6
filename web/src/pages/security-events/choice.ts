// From a row of a report to the events behind it. Pure.

import type { TopKind } from '@gateway/server/contract/security-events'
import { type Period, searchedValue } from '../../util/report-period.ts'

const columns: Readonly<Record<TopKind, string>> = {
  signatures: 'signature_id',
  profiles: 'profile_id',
  sources: 'src_ip',
  destinations: 'dst_ip',
  classtypes: 'classtype',
  tactics: 'mitre_tactic_id',
  countries: 'src_location_code',
  rules: 'rule_id',
  applications: 'application',
  results: 'result',
  severities: 'severity',
}

/** A rule is named with its table, such as fwd.3; the journal has the number in a column of its own. */
export const journalSearch = (kind: TopKind, value: string, period: Period): Readonly<Record<string, string>> => ({
  from: period,
  [columns[kind]]: searchedValue(kind === 'rules' ? value.replace(/^[a-z]+\./, '') : value),
})
