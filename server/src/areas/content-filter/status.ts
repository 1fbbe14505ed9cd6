// The status of the content filter. Settings are stored but not applied: this release has no engine for them.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../model/slots.ts'
import { morphology, safeSearch, settings, state } from './config.ts'

const stored = (what: string): string => `Stored. ${what} is not part of this release yet, so nothing is applied.`

type Switch = readonly [name: string, isEnabled: boolean, what: string]

export function filterStatusItems(config: Config): StatusItem[] {
  const { enabled_extended_categorizer, quic_reject_enabled } = read(config, settings)
  const switches: readonly Switch[] = [
    ['extended-categories', enabled_extended_categorizer, 'A provider of extended categories'],
    ['quic-reject', quic_reject_enabled, 'The rejection of QUIC'],
    ['safe-search', read(config, safeSearch).enabled, 'Safe search of the proxy'],
    ['morphological-analysis', read(config, morphology).enabled, 'The morphological analysis'],
  ]
  return [
    item('content-filter', read(config, state).enabled, 'The content filter engine'),
    ...switches.filter(([, isEnabled]) => isEnabled).map((row) => item(...row)),
  ]
}

const item = (name: string, isEnabled: boolean, what: string): StatusItem => ({
  name,
  status: 'inactive',
  msg: [isEnabled ? stored(what) : 'The content filter is disabled.'],
})
