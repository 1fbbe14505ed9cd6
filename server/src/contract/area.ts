// The pure half of an area: where its configuration lives, what must hold and what it puts on the machine.

import type { Artifact } from '../plan/artifacts.ts'
import type { Facts } from '../plan/facts.ts'
import type { Problem } from './error.ts'
import type { Config, Slot } from './slots.ts'

/** One place of the configuration that names an object of another one. */
export interface Reference {
  /** The object referred to, such as `ip.id.3`. */
  readonly id: string
  /** Who refers to it: `firewall.forward[7]`. */
  readonly object: string
  readonly field: string
  /** The same in the administrator's words: `FORWARD rule 7`. */
  readonly title: string
}

export interface AreaRules {
  readonly name: string
  /**
   * `background`: what it renders takes long to come into force. A change of it is checked, committed and answered; then it
   * is applied while the area is `reloading`, and what was there before is restored when that fails (decision 30). Its
   * artifacts are its own: no other area renders one of the same name.
   */
  readonly apply?: 'background'
  readonly slots: readonly Slot[]
  /** Slots of other areas that verify or render look at; own slots count by themselves. */
  readonly reads?: readonly Slot[]
  /** All problems, not the first. Fields are named as the administrator sent them, after `<area>.<slot>.`. */
  readonly verify?: (config: Config) => readonly Problem[]
  /** Every mention of an object in the area's own slots. */
  readonly references?: (config: Config) => readonly Reference[]
  /** Whether an object of this id could be mentioned at all; absent: any could. Spares a look at fifty thousand users. */
  readonly canMention?: (id: string) => boolean
  readonly render?: (config: Config, facts: Facts) => readonly Artifact[]
}
