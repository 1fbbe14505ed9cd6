// Whom the rules of the content filter can concern. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import { rules, withDefaults } from './config.ts'

/** Ids of users, groups and address objects that enabled rules name; null when a rule is for everyone. */
export function filteredSources(config: Config): readonly string[] | null {
  const named = read(withDefaults(config), rules)
    .filter(({ enabled }) => enabled)
    .flatMap(({ aliases }) => aliases)
  return named.includes('any') ? null : [...new Set(named)].toSorted()
}
