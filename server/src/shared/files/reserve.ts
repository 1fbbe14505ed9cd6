// Room that applyd keeps for its own records, so that it can start, restart engines and revert a change on a full disk.

import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const mostBytes = 1024 * 1024
const lookMs = 10_000
const noRoom: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
const unusable: ReadonlySet<unknown> = new Set([...noRoom, 'EROFS', 'EIO', 'EFBIG', 'ENOMEM'])

const codeOf = (fault: unknown): unknown => (fault as { code?: unknown } | null)?.code

/** A file system that does not take a write, or not now. */
export const isStorageFault = (fault: unknown): boolean => unusable.has(codeOf(fault))

/** Does the work unless the disk refuses it; false when it did. */
export function tryStoring(work: () => void): boolean {
  try {
    work()
    return true
  } catch (fault) {
    if (!isStorageFault(fault)) throw fault
    return false
  }
}

/** One process has one state folder. */
let reserve: string | null = null
let timer: NodeJS.Timeout | undefined

/** From now on, room is kept at this path whenever the disk has plenty. */
export function keepReserve(path: string): void {
  reserve = path
  fill(path)
  clearInterval(timer)
  timer = setInterval(fill, lookMs, path).unref()
}

function fill(path: string): void {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(path))
    const bytes = Math.min(mostBytes, Math.floor((blocks * bsize) / 64))
    if (statSync(path, { throwIfNoEntry: false })?.size === bytes || bavail * bsize < 4 * bytes) return
    // Random, because a file system may store zeros without using room.
    writeFileSync(path, randomBytes(bytes), { mode: 0o600 })
  } catch {
    // Nothing depends on it while there is room; it is tried again.
  }
}

/** For work whose files are made by others: the room of the reserve when there is hardly any other. */
export function makeRoom(): void {
  if (reserve === null || !existsSync(reserve)) return
  const { bavail, bsize } = statfsSync(dirname(reserve))
  if (bavail * bsize < mostBytes / 4) rmSync(reserve, { force: true })
}

/** Does the work; where only room is missing, once more with that of the reserve. */
export function withReserve<T>(work: () => T): T {
  try {
    return work()
  } catch (fault) {
    if (!noRoom.has(codeOf(fault)) || reserve === null) throw fault
    rmSync(reserve, { force: true })
    return work()
  }
}
