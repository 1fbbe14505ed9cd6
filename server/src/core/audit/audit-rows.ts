// Rows of the audit trail, read in steps that are bounded by their bytes: records of earlier releases can be very large.

import type { Database } from '../database/database.ts'
import type { AuditRecord } from './audit-entry.ts'

export interface AuditRow {
  readonly sequence: number
  readonly record: string
  readonly hash: Uint8Array
}

interface Sized {
  readonly sequence: number
  readonly size: number
}

/** A step takes some milliseconds. */
const stepBytes = 512 * 1024

/** After this record, oldest first: some of them, or one that is larger than a step. */
export function rowsAfter(database: Database, sequence: number, limit: number): AuditRow[] {
  const sizes = database
    .prepare<Sized>(
      'SELECT sequence, octet_length(record) AS size FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?',
    )
    .all(sequence, limit)
  const [first] = stepsOf(sizes)
  const last = first?.at(-1)
  if (!last) return []
  return database
    .prepare<AuditRow>(
      'SELECT sequence, record, hash FROM audit WHERE sequence > ? AND sequence <= ? ORDER BY sequence',
    )
    .all(sequence, last.sequence)
}

/** From this record on backwards, newest first, as the JSON they were stored as. */
export function* recordsBack(database: Database, sequence: number, limit: number): Generator<readonly string[]> {
  const sizes = database
    .prepare<Sized>(
      'SELECT sequence, octet_length(record) AS size FROM audit WHERE sequence <= ? ORDER BY sequence DESC LIMIT ?',
    )
    .all(sequence, limit)
  for (const step of stepsOf(sizes)) {
    const rows = database
      .prepare<AuditRow>('SELECT record FROM audit WHERE sequence BETWEEN ? AND ? ORDER BY sequence DESC')
      .all(step.at(-1)?.sequence ?? 0, step[0]?.sequence ?? 0)
    yield rows.map(({ record }) => record)
  }
}

function* stepsOf(sizes: readonly Sized[]): Generator<readonly Sized[]> {
  let step: Sized[] = []
  let bytes = 0
  for (const one of sizes) {
    if (step.length > 0 && bytes + one.size > stepBytes) {
      yield step
      step = []
      bytes = 0
    }
    step.push(one)
    bytes += one.size
  }
  if (step.length > 0) yield step
}

export type AuditHeader = Omit<AuditRecord, 'changes'>

const changesMark = ',"changes":['

/** Without the changes, which come last and can be long. A text cannot hold the mark: its quotes are escaped. */
export function readHeader(record: string): AuditHeader {
  const end = record.indexOf(changesMark)
  return JSON.parse(end < 0 ? record : `${record.slice(0, end)}}`) as AuditHeader
}
