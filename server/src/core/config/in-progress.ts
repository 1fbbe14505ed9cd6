// What is stored beside the revisions: the change that waits for confirmation, and the areas whose changes are being
// applied in the background. Both are written in the transaction of the caller.

import type { Database } from '../database/database.ts'
import type { BackgroundRow } from './background.ts'
import type { Probation } from './revision.ts'

export function writeProbation(database: Database, probation: Probation | null): void {
  database.prepare('DELETE FROM probation').run()
  if (probation === null) return
  const { revision, author, seconds, boot, deadline, deadlineTime } = probation
  database
    .prepare(
      'INSERT INTO probation (one, revision, author, seconds, boot, deadline, deadline_time) VALUES (1,?,?,?,?,?,?)',
    )
    .run(revision, author, seconds, boot, deadline, deadlineTime)
}

export function readProbation(database: Database): Probation | null {
  const row = database
    .prepare<Probation>(
      'SELECT revision, author, seconds, boot, deadline, deadline_time AS deadlineTime FROM probation WHERE one = 1',
    )
    .get()
  return row ? { ...row } : null
}

export function writeBackground(database: Database, rows: readonly BackgroundRow[]): void {
  database.prepare('DELETE FROM background').run()
  for (const { area, good, state, message, failures } of rows)
    database
      .prepare('INSERT INTO background (area, good, state, message, failures) VALUES (?,?,?,?,?)')
      .run(area, good, state, message, failures)
}

export function readBackground(database: Database): BackgroundRow[] {
  const rows = database.prepare<BackgroundRow>('SELECT area, good, state, message, failures FROM background').all()
  return rows.map((row) => ({ ...row }))
}
