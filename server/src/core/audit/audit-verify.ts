// Whether the audit trail is whole: the chain itself, the checkpoints that applyd signed, the removal of old records, and the
// revisions, each of which has its record.

import { hash as digest } from 'node:crypto'
import { type SaidText, say } from '../../shared/said.ts'
import type { Database } from '../database/database.ts'
import type { Checkpoint } from '../plan/artifacts.ts'
import { createSlices } from '../workers/slices.ts'
import type { AuditRecord } from './audit-entry.ts'
import { type AuditRow, readHeader, rowsAfter } from './audit-rows.ts'

export interface AuditFault {
  readonly sequence: number
  readonly message: SaidText
}

export const genesis = Buffer.alloc(32)

export const recordHash = (previous: Uint8Array, record: string): Buffer =>
  digest('sha256', Buffer.concat([previous, Buffer.from(record)]), 'buffer')

/** The newest records are always kept. Older ones may be removed at this age, or when this much is kept. */
export const leastKeptRecords = 10_000
export const leastKeptDays = 30
export const leastKeptMegabytes = 64

const rowsAtOnce = 200
const dayMs = 86_400_000
const megabyte = 1024 * 1024

/** The note that records were removed, as the only change of its record. */
export const removalNote = (through: number) => ({ removed_through: through })
export const trailItself = 'audit trail'

interface Removal {
  /** The record that says so. */
  readonly at: number
  readonly through: number
}

/** What the walk along the chain saw. */
interface Seen {
  readonly first: number
  readonly next: number
  /** The newest record and revision when the walk ended: there can be more by now. */
  readonly head: number
  readonly newestRevision: number
  readonly bytes: number
  readonly removals: readonly Removal[]
  /** The record of each revision. */
  readonly revisions: ReadonlyMap<number, number>
}

/** In slices, because the trail is long and other requests must not wait for it. `head` is the newest record there was. */
export async function verifyTrail(
  database: Database,
  head: () => number,
  checkpoints: readonly Checkpoint[],
): Promise<AuditFault | null> {
  const forged = checkpoints.find((checkpoint) => !checkpoint.authentic)
  if (forged) return { sequence: forged.sequence, message: say`The signed checkpoint of this record was altered.` }
  const walked = await walk(database, head, checkpoints)
  if ('fault' in walked) return walked.fault
  const { seen } = walked
  const lastKnown = checkpoints.reduce((last, { sequence }) => Math.max(last, sequence), seen.head)
  if (lastKnown >= seen.next) return { sequence: seen.next, message: say`This record and all after it are missing.` }
  if (seen.first > 1 && !seen.removals.some((one) => isEarned(one, seen, checkpoints))) return missing(1)
  return compareRevisions(database, seen)
}

const missing = (sequence: number): AuditFault => ({ sequence, message: say`This record is missing.` })
const replaced = say`This record or one before it was replaced: it does not match the signed checkpoint.`

async function walk(
  database: Database,
  head: () => number,
  checkpoints: readonly Checkpoint[],
): Promise<{ readonly fault: AuditFault } | { readonly seen: Seen }> {
  const signed = new Map(checkpoints.map((checkpoint) => [checkpoint.sequence, checkpoint.hash]))
  const removals: Removal[] = []
  const revisions = new Map<number, number>()
  const slices = createSlices()
  let rows = rowsAfter(database, Number.MIN_SAFE_INTEGER, rowsAtOnce)
  const first = rows[0]?.sequence ?? 1
  // Where old records were removed, the chain begins with the checkpoint that applyd signed then.
  const begin = first > 1 ? signed.get(first - 1) : undefined
  if (first < 1 || (first > 1 && begin === undefined)) return { fault: missing(1) }
  let hash: Uint8Array = begin === undefined ? genesis : Buffer.from(begin, 'hex')
  let next = first
  let bytes = 0
  for (; rows.length > 0; rows = rowsAfter(database, next - 1, rowsAtOnce)) {
    for (const row of rows) {
      if (row.sequence !== next) return { fault: missing(next) }
      hash = recordHash(hash, row.record)
      const fault = faultOf(row, hash, signed.get(next))
      if (fault !== null) return { fault: { sequence: next, message: fault } }
      const { event, what, revision } = readHeader(row.record)
      if (event === 'system' && what === trailItself) removals.push(...removalsIn(row))
      if (event === 'change' && revision !== null) revisions.set(revision, next)
      bytes += Buffer.byteLength(row.record)
      next++
      await slices()
    }
  }
  const newest = database.prepare('SELECT max(revision) AS revision FROM revisions').get()
  const newestRevision = Number(newest?.revision ?? 0)
  return { seen: { first, next, head: head(), newestRevision, bytes, removals, revisions } }
}

function faultOf({ sequence, record, hash: stored }: AuditRow, hash: Uint8Array, checkpoint?: string): SaidText | null {
  if (!Buffer.from(hash).equals(stored) || !carries(record, sequence)) return altered
  return checkpoint !== undefined && checkpoint !== Buffer.from(hash).toString('hex') ? replaced : null
}

const altered = say`This record was altered.`

/** It is JSON, and begins with its number. */
function carries(record: string, sequence: number): boolean {
  try {
    return record.startsWith(`{"sequence":${sequence},`) && readHeader(record).sequence === sequence
  } catch {
    return false
  }
}

function removalsIn({ sequence, record }: AuditRow): Removal[] {
  const [change] = (JSON.parse(record) as AuditRecord).changes as readonly { readonly removed_through?: number }[]
  return change?.removed_through === undefined ? [] : [{ at: sequence, through: change.removed_through }]
}

/** By applyd's own clock and by what is there, which one who can write the database cannot change. */
function isEarned({ at, through }: Removal, { first, bytes }: Seen, checkpoints: readonly Checkpoint[]): boolean {
  const removed = checkpoints.find(({ sequence }) => sequence === through)
  const announced = checkpoints.find(({ sequence }) => sequence >= at)
  if (through < first - 1 || at - through < leastKeptRecords || !removed || !announced) return false
  const isOld = Date.parse(announced.time) - Date.parse(removed.time) >= leastKeptDays * dayMs
  return isOld || bytes >= leastKeptMegabytes * megabyte
}

/** Each revision that is kept has its record, and each record its revision. Removed ones of either are not compared. */
async function compareRevisions(database: Database, seen: Seen): Promise<AuditFault | null> {
  const { first, next, revisions, newestRevision } = seen
  const kept: number[] = []
  for await (const revision of revisionsOf(database)) if (revision <= newestRevision) kept.push(revision)
  const damaged = database.prepare('SELECT revision FROM damaged_revisions').all()
  const known = new Set([...kept, ...damaged.map(({ revision }) => Number(revision))])
  const lowest = kept[0] ?? Number.POSITIVE_INFINITY
  for (const [revision, sequence] of revisions) {
    if (revision >= lowest && !known.has(revision)) {
      return { sequence, message: say`This record is of revision ${revision}, which does not exist.` }
    }
  }
  const recordedFrom = first > 1 ? lowestOf(revisions.keys()) : 0
  const unrecorded = kept.find((revision) => revision >= recordedFrom && !revisions.has(revision))
  if (unrecorded === undefined) return null
  const later = [...revisions].filter(([revision]) => revision > unrecorded).map(([, sequence]) => sequence)
  return { sequence: Math.min(next, lowestOf(later)), message: say`The record of revision ${unrecorded} is missing.` }
}

function lowestOf(numbers: Iterable<number>): number {
  let lowest = Number.POSITIVE_INFINITY
  for (const one of numbers) lowest = Math.min(lowest, one)
  return lowest
}

const revisionsAtOnce = 1_000

async function* revisionsOf(database: Database): AsyncGenerator<number> {
  const slices = createSlices()
  let last = -1
  for (;;) {
    const rows = database
      .prepare('SELECT revision FROM revisions WHERE revision > ? ORDER BY revision LIMIT ?')
      .all(last, revisionsAtOnce)
    if (rows.length === 0) return
    for (const { revision } of rows) yield Number(revision)
    last = Number(rows.at(-1)?.revision)
    await slices()
  }
}
