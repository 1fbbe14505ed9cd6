// The pure half of an area: where its configuration lives, what must hold and what it puts on the machine.

import type { Artifact } from '../plan/artifacts.ts'
import type { Facts } from '../plan/facts.ts'
import type { Problem } from './error.ts'
import type { Config, Slot } from './slots.ts'

export interface AreaRules {
  readonly name: string
  readonly slots: readonly Slot[]
  /** Slots of other areas that verify or render look at; own slots count by themselves. */
  readonly reads?: readonly Slot[]
  /** All problems, not the first. Fields are named as the administrator sent them, after `<area>.<slot>.`. */
  readonly verify?: (config: Config) => readonly Problem[]
  readonly render?: (config: Config, facts: Facts) => readonly Artifact[]
}
