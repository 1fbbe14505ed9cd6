// Which signatures count: those of rule files and the custom ones together, and what every profile does with them. Results
// are remembered, because lists, counts and groups ask for the same again and again. Pure.

import { itemsIn } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type Catalogue, createCatalogue, withRules } from '../../domain/signatures/catalogue.ts'
import { type Decided, decide, type ProfileRule } from '../../domain/signatures/profile.ts'
import { weakeningFault } from '../../domain/signatures/refused.ts'
import type { Rule } from '../../domain/signatures/rule.ts'
import { custom, profileRules } from './config.ts'
import type { Profile } from './contract-profiles.ts'
import type { StoredCustom } from './contract-signatures.ts'
import { parseCustom, profileList, ruleList } from './lists.ts'

/** Custom signatures as data. One that a later release cannot parse any more is left out. */
export const customRules = (stored: readonly StoredCustom[]): { stored: StoredCustom; rule: Rule }[] =>
  stored.flatMap((one) => {
    const result = parseCustom(one)
    return 'rule' in result ? [{ stored: one, rule: result.rule }] : []
  })

const weakening = new WeakMap<StoredCustom, string | null>()

/** What must not be used, as a restored backup may bring it. Stored signatures never change, so each is judged once. */
const weakeningOf = (stored: StoredCustom): string | null =>
  weakening.getOrInsertComputed(stored, ({ rule }) => weakeningFault(rule))

/** Custom signatures that are stored and not used, with the reasons. */
export const leftOut = (stored: readonly StoredCustom[]): { readonly id: string; readonly reason: string }[] =>
  stored.flatMap((one) => {
    const result = parseCustom(one)
    const reason = 'fault' in result ? result.fault : weakeningOf(one)
    return reason === null ? [] : [{ id: one.id, reason }]
  })

const noSignatures = createCatalogue([])

let lastCatalogue: { readonly inputs: readonly unknown[]; readonly catalogue: Catalogue } | null = null

/** `files` is absent where no rule files are read. */
export function catalogueOf(config: Config, files: Catalogue = noSignatures): Catalogue {
  const stored = read(config, custom)
  if (lastCatalogue?.inputs[0] === files && lastCatalogue.inputs[1] === stored) return lastCatalogue.catalogue
  const rules = customRules(stored).flatMap((one) => (weakeningOf(one.stored) === null ? [one.rule] : []))
  lastCatalogue = { inputs: [files, stored], catalogue: withRules(files, rules) }
  return lastCatalogue.catalogue
}

const decisions = new WeakMap<Catalogue, WeakMap<readonly unknown[], Map<string, Decided>>>()

export function decideProfile(config: Config, catalogue: Catalogue, profileId: string): Decided {
  const rules = read(config, profileRules)
  const byRules = decisions.getOrInsertComputed(catalogue, () => new WeakMap())
  const byProfile = byRules.getOrInsertComputed(rules, () => new Map<string, Decided>())
  return byProfile.getOrInsertComputed(profileId, () =>
    decide(catalogue.signatures, itemsIn(config, ruleList, profileId)),
  )
}

export const allProfiles = (config: Config): readonly Profile[] => itemsIn(config, profileList)

const bareRules = new WeakMap<readonly unknown[], Map<string, readonly ProfileRule[]>>()

/** What decides about signatures, without comments. The same value as long as no rule of a profile changes. */
export function rulesOfProfile(config: Config, profileId: string): readonly ProfileRule[] {
  const byProfile = bareRules.getOrInsertComputed(read(config, profileRules), () => new Map())
  return byProfile.getOrInsertComputed(profileId, () =>
    itemsIn(config, ruleList, profileId).map(({ id, filters, action }) => ({
      id,
      filters: filters.map(({ key, values }) => ({ key, values })),
      action,
    })),
  )
}
