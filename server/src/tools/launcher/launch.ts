// What the outer stage decided and the inner stage carries out; crosses between them as one JSON variable.

import type { ProcessIdentity } from './identity.ts'
import type { PlaneChoice } from './planes.ts'
import type { Accounts } from './privileges.ts'
import type { Settings } from './settings.ts'

export interface Launch {
  /** The password is not part of it: it comes through a separate descriptor. */
  readonly settings: Omit<Settings, 'adminPassword'>
  readonly choice: PlaneChoice
  readonly accounts: Accounts
  /** What is printed goes to the journal of systemd, which keeps it. */
  readonly isJournal: boolean
  /** The process that people and service managers signal. */
  readonly launcher: ProcessIdentity
}

export const launchVariable = 'PORTCULLIS_LAUNCH'

/** The descriptor whose closing stops the inner stage. */
export const leashFd = 3

/** The descriptor that carries the password of the first administrator. */
export const passwordFd = 4
