// What the bench asks of an engine that keeps logs.

import type { NewRecord } from '../../server/src/domain/logs/record.ts'

export const questionNames = [
  'newest 100',
  'equals, rare address, with the total',
  'equals, common action, with the total',
  'contains, rare',
  'contains, common, with the total',
  'count by action, last hour',
  'newest 100, a tenth of all further back',
] as const
export type QuestionName = (typeof questionNames)[number]

export interface Engine {
  add(records: readonly NewRecord[]): Promise<void>
  /** Resolves when everything added can be found and is on the disk. */
  settle(): Promise<void>
  /**
   * Each resolves to how many records there are, so that engines can be compared, or to null where
   * an engine does not know; absent where it has no answer.
   */
  readonly questions: Readonly<Partial<Record<QuestionName, () => Promise<number | null>>>>
  /** Whether questions can be asked while records are added. */
  readonly isConcurrent: boolean
  bytes(): number
  /** Process whose memory counts. */
  readonly pid: number
  close(): Promise<void>
}
