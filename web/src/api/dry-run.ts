// The reply of a change that was only tried.

import type { ObjectChange as ObjectChangeSchema } from '@gateway/server/contract/configuration'
import type { Static } from 'typebox'

export type ObjectChange = Static<typeof ObjectChangeSchema>

export interface ArtifactChange {
  readonly artifact: string
  readonly action: string
  readonly removed_lines: readonly string[]
  readonly added_lines: readonly string[]
}

export interface CutConnection {
  readonly protocol: string
  readonly source: string
  readonly source_port: number
  readonly destination: string
  readonly destination_port: number
  readonly rule: string | null
  readonly user: string | null
}

export interface DryRun {
  readonly changes: readonly ObjectChange[]
  readonly artifacts: readonly ArtifactChange[]
  /** What could not be checked on this machine. */
  readonly unchecked: readonly string[]
  readonly connections?: readonly CutConnection[]
  readonly connections_total?: number
  readonly connections_note?: string | null
}
