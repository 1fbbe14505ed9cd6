// The status of the content filter: the engine as the area web-proxy sees it, and each switch with what it does now.

import type { StatusItem } from '../../core/contract/fields.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { dictionaries, morphology, safeSearch, settings, showDictionaries, state } from './config.ts'

/** How the proxy and the decision process are. */
export interface FilterEngine {
  readonly status: StatusItem['status']
  readonly msg: readonly SaidText[]
  /** Entries of the category database that decides; null when that is not known. */
  readonly entries: number | null
}

export function filterStatusItems(config: Config, engine: FilterEngine): StatusItem[] {
  const isEnabled = read(config, state).enabled
  const { enabled_extended_categorizer, quic_reject_enabled } = read(config, settings)
  const part = (name: string, isOn: boolean, ...msg: readonly SaidText[]): StatusItem[] =>
    isOn
      ? [
          isEnabled
            ? { name, status: engine.status, msg: [...msg] }
            : { name, status: 'inactive', msg: [say`It has no effect while the content filter is disabled.`] },
        ]
      : []
  return [
    isEnabled
      ? { name: 'content-filter', status: engine.status, msg: [...engine.msg] }
      : { name: 'content-filter', status: 'inactive', msg: [say`The content filter is disabled.`] },
    ...part('extended-categories', enabled_extended_categorizer, ...categoryWords(engine.entries)),
    ...part('quic-reject', quic_reject_enabled),
    ...part('safe-search', read(config, safeSearch).enabled, say`It needs rules that decrypt the services.`),
    ...part('morphological-analysis', read(config, morphology).enabled, ...dictionaryWords(config)),
  ]
}

function categoryWords(entries: number | null): SaidText[] {
  if (entries === null) return [say`The category database has not been reported yet.`]
  return entries === 0
    ? [say`The category database is empty: extended categories match nothing.`]
    : [say`Entries: ${entries}.`]
}

function dictionaryWords(config: Config): SaidText[] {
  const isAnyOn = showDictionaries(read(config, dictionaries)).some(({ enabled }) => enabled)
  return isAnyOn ? [] : [say`No dictionary is enabled, so no page is judged.`]
}
