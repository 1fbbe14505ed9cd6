// The pure half of an area: where its configuration lives, what must hold and what it puts on the machine.

import type { Problem } from '../contract/error.ts'
import type { Mentioning } from '../model/references.ts'
import type { Config, Slot } from '../model/slots.ts'
import type { Artifact } from './artifacts.ts'
import type { Facts } from './facts.ts'

export interface AreaRules extends Mentioning {
  readonly name: string
  /** Slots of other areas that verify or render look at; own slots count by themselves. */
  readonly reads?: readonly Slot[]
  /** All problems, not the first. Fields are named as the administrator sent them, after `<area>.<slot>.`. */
  readonly verify?: (config: Config) => readonly Problem[]
  readonly render?: (config: Config, facts: Facts) => readonly Artifact[]
}
