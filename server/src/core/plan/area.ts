// The pure half of an area: where its configuration lives, its rules, and what it puts on the machine.

import type { Problem } from '../contract/error.ts'
import type { ListDeclaration, SettingsDeclaration } from '../model/declarations.ts'
import {
  canMention,
  createListVerifier,
  createSettingsVerifier,
  listReferences,
  settingsReferences,
  slotsReadBy,
} from '../model/declared-rules.ts'
import type { Mentioning } from '../model/references.ts'
import type { Config, Slot } from '../model/slots.ts'
import type { Artifact } from './artifacts.ts'
import type { Facts } from './facts.ts'

export interface AreaRules extends Mentioning {
  readonly name: string
  /** Slots of other areas that verify or render look at; own slots count by themselves. */
  readonly reads?: readonly Slot[]
  /** Those of its slots that say who may do what: a change of them needs full access and a fresh sign-in, whichever call makes it. */
  readonly rights?: readonly Slot[]
  /** All problems, not the first. Fields are named as the administrator sent them, after `<area>.<slot>.`. */
  readonly verify?: (config: Config) => readonly Problem[]
  readonly render?: (config: Config, facts: Facts) => readonly Artifact[]
  /**
   * `background`: what it renders takes long to come into force. A change of it is checked, committed and answered; then it
   * is applied while the area is `reloading`, and what was there before is restored when that fails (decision 30). Its
   * artifacts are its own: no other area renders one of the same name.
   */
  readonly apply?: 'background'
}

/** What an area declares; `verify` and `references` add what no declaration says. */
export interface AreaSpec extends AreaRules {
  readonly lists?: readonly ListDeclaration[]
  readonly settings?: readonly SettingsDeclaration[]
}

/** The rules of an area: those of its declarations and its own. */
export function rulesOf(area: AreaSpec): AreaRules {
  const { lists = [], settings = [], reads = [], slots } = area
  if (lists.length + settings.length === 0) return area
  const verifiers = [...settings.map(createSettingsVerifier), ...lists.map(createListVerifier)]
  const declared = [...lists, ...settings]
  return {
    ...area,
    reads: [...new Set([...reads, ...declared.flatMap(slotsReadBy)])].filter((slot) => !slots.includes(slot)),
    verify: (config) => [...verifiers.flatMap((verify) => verify(config)), ...(area.verify?.(config) ?? [])],
    references: (config) => [
      ...settings.flatMap((one) => settingsReferences(config, one)),
      ...lists.flatMap((list) => listReferences(config, list)),
      ...(area.references?.(config) ?? []),
    ],
    canMention: (id) =>
      declared.some((one) => canMention(one, id)) || (area.references !== undefined && (area.canMention?.(id) ?? true)),
  }
}
