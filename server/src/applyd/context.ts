// What all parts of applyd share: where it works, with which tables, and what it writes down before it changes something.

import type { DataPlane } from '../core/plan/artifacts.ts'
import type { Tables } from '../engines/kit/tables.ts'
import type { Log } from '../engines/kit/text.ts'

/**
 * How long an engine may take to stop, the pauses before a restart, after how long a run the pauses start over, and the pause
 * before packages that could not be installed are tried again. `guardMs`: how often it is looked whether our rules are there.
 */
export const defaultTimings = {
  stopMs: 5000,
  firstRetryMs: 200,
  lastRetryMs: 30_000,
  stableMs: 10_000,
  pollMs: 500,
  installRetryMs: 600_000,
  guardMs: 250,
}
export type Timings = Readonly<typeof defaultTimings>

/** The steps at which a test can make applyd fail or die; in production they do nothing. */
export const failpointNames = [
  ...(['staged', 'checked', 'intent.written', 'file.written', 'file.switched'] as const),
  ...(['nft.loaded', 'network.switched'] as const),
  ...(['unit.stopped', 'unit.spawned', 'unit.started', 'unit.signalled', 'units.switched', 'probed'] as const),
  ...(['record.written', 'intent.removed'] as const),
  ...(['restore.files', 'restore.network', 'restore.tables', 'restore.units', 'restore.done'] as const),
]
/** The same for a plan that is tried before its revision is committed. */
export const attemptFailpointNames = [
  ...(['attempt.intent', 'attempt.loaded', 'settle.recorded', 'settle.done', 'undo.tables', 'undo.done'] as const),
]
export type FailpointName = (typeof failpointNames | typeof attemptFailpointNames)[number]

export interface Context {
  readonly plane: DataPlane
  /** Why nothing is applied, as a message for the administrator. */
  readonly limitation: string | null
  /** Where applyd keeps its own records; only root can read it. */
  readonly directory: string
  /** Where engines write their logs, which gatewayd reads. */
  readonly logs: string
  /** The running kernel and namespace, see processes.ts. */
  readonly kernel: string
  readonly tables: Tables
  readonly timings: Timings
  readonly log: Log
  readonly failpoint: (name: FailpointName) => void
  /** Puts the process of a unit under the limits of that unit; without it there are none. */
  readonly place?: (unit: string, pid: number) => void
}

/**
 * What is needed to undo a switch, written before it begins: which files were there with what content (base64), which
 * tables are touched, which units ran. The tables and links to restore are in the record of what is applied.
 */
export interface Intent {
  readonly id: string
  readonly kernel: string
  readonly files: readonly (readonly [name: string, content: string | null])[]
  readonly tables: readonly string[]
  readonly units: readonly string[]
  /** Set when nothing but tables is touched. Such an intent is not forced to the disk, and void after a reboot. */
  readonly isTablesOnly?: true
  /** What rules counted that the switch removes. */
  readonly counts?: readonly (readonly [origin: string, packets: number, bytes: number])[]
}
