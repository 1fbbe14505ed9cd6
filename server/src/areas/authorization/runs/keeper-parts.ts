// What the keeper of sessions needs, and what it tells of itself.

import type { Applier } from '../../../core/plan/artifacts.ts'
import type { SaidText } from '../../../shared/said.ts'
import type { Clock } from '../../../shared/time/clock.ts'
import type { KnownHosts } from './known-hosts.ts'
import type { SessionEvent } from './session-lines.ts'
import type { SessionRows } from './session-rows.ts'

export interface KeeperParts {
  readonly rows: SessionRows
  readonly applier: Pick<Applier, 'changeLive' | 'readLive' | 'arrivals' | 'cut' | 'neighbours'>
  readonly known: KnownHosts
  /** Names of the live sets that the plan has. The same value while they are the same. */
  readonly liveSets: () => ReadonlySet<string>
  readonly clock: Clock
  readonly journal: { write(events: readonly SessionEvent[]): void }
  /** Called once for each failure that begins. */
  readonly onFault: (error: unknown) => void
}

export interface KeeperState {
  readonly sessions: number
  /** Do the live sets follow the sessions? */
  readonly isCompared: boolean
  /** Are hosts noticed that begin to send? */
  readonly isFollowing: boolean
  /** The last failure, while there is one. */
  readonly fault: SaidText | null
}
