// What the decision process reads: its policy, the entries of user categories and the dictionaries. The area of the web proxy
// renders it with the proxy, because both run together. Pure.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, perState, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { FilterPolicy } from '../../domain/web-filter/model.ts'
import { printDictionaries, printPolicy, printUserCategories } from '../../domain/web-filter/policy-file.ts'
import { webFilter } from '../../engines/web-filter/index.ts'
import { dictionaries, start, state, userCategories } from './config.ts'
import { enabledDictionaries, entriesOf, type FailureMode, policyOf } from './policy.ts'

export function renderPolicy(
  config: Config,
  facts: Facts,
  { onFailure }: { readonly onFailure: FailureMode },
): Artifact[] {
  return [
    engineFile(webFilter, 'web-policy.json', policyText(policyOf(config, facts, onFailure))),
    engineFile(webFilter, 'web-user-categories.txt', categoriesText(config)),
    engineFile(webFilter, 'web-dictionaries.json', dictionariesText(config)),
    engineUnit(webFilter, 'web-filter'),
  ]
}

const printed = new WeakMap<FilterPolicy, string>()

/** Plans are made often and mostly change something else. */
function policyText(policy: FilterPolicy): string {
  const text = printed.get(policy) ?? printPolicy(policy)
  printed.set(policy, text)
  return text
}

/** Half a million lines at most; without the filter no one asks for them. */
const categoriesText = perState([state, userCategories, start], (config) =>
  read(config, state).enabled ? printUserCategories(entriesOf(config)) : '',
)

const dictionariesText = perState([dictionaries], (config) => printDictionaries(enabledDictionaries(config)))
