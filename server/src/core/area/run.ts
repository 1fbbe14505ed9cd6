// What runs for an area while the gateway is up. An area declares in service.ts what it offers to routes, jobs and other areas,
// and in runs.ts how that is made, started and stopped. gatewayd/running.ts makes each when it is first asked for, and stops
// them in the reverse order.

import type { Aging } from '../../shared/time/aging.ts'
import type { ConfigEngine } from '../config/engine.ts'
import type { Database } from '../database/database.ts'
import type { DiskReserve } from '../database/disk-reserve.ts'
import type { Shelter } from '../database/shelter.ts'
import type { Log } from '../log.ts'
import type { Applier } from '../plan/artifacts.ts'
import type { Services } from './handle.ts'
import type { Service } from './service.ts'

export interface Running<T> {
  readonly offers: T
  /** Begins to work by itself. Not called where requests are only answered, as in tests. */
  start?(): void | Promise<void>
  /** The configuration is another one. */
  follow?(): void
  /** Some time has passed: files and addresses of the machine can be other ones. */
  look?(): void
  stop?(): void | Promise<void>
}

export interface Run {
  readonly service: Service<unknown>
  /** Null where it does not run. */
  readonly make: (host: Host) => Running<unknown> | null
}

/** How a service is made. What it needs it asks of `host.services`, which makes that first. */
export const run = <T>(offered: Service<T>, make: (host: Host) => Running<NonNullable<T>> | null): Run => ({
  service: offered,
  make,
})

export interface HostSettings {
  readonly stateDir: string
  /** Files of gatewayd alone. */
  readonly folder: string
  readonly isHost: boolean
  /** False where everything is rendered and checked, and nothing applied. */
  readonly isApplied: boolean
  /** False where requests are only answered: nothing of the machine is read. */
  readonly isOnMachine: boolean
  readonly auditLimits: { readonly days: number; readonly megabytes: number }
}

/** The process that services run in. */
export interface Host {
  readonly services: Services
  readonly engine: ConfigEngine
  readonly applier: Applier
  readonly database: Database
  /** What signing in and out needs, which must work whatever the disk says. */
  readonly accountTables: Shelter
  readonly aging: Aging
  readonly reserve: DiskReserve | undefined
  readonly settings: HostSettings
  readonly log: Log
  /** The facts are other ones: they are read again, and the machine is brought in line. */
  readonly factsChanged: () => void
}

/** Lists leave as much of the disk to the configuration as logs do. */
export function roomForLists({ reserve }: Pick<Host, 'reserve'>): number {
  const disk = reserve?.state()
  return disk ? Math.max(0, disk.freeBytes - 2 * disk.reserveBytes) : Number.MAX_SAFE_INTEGER
}
