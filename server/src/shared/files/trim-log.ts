// Logs that others append to, kept within their limit. They are in folders of root.

import { chownSync, copyFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tryStoring } from './reserve.ts'

/** Does the work while the writer of a log does not write; false when the writer cannot be held up. */
export type WhileStill = (work: () => boolean) => boolean

/**
 * Empties the file when it is larger, and keeps one older copy that the same accounts can read. Its writers append, so it can be
 * emptied under them; what they write between the copy and that is lost, unless `whileStill` holds them up. Without room for the
 * copy the older file goes as well: the newest lines are worth more than no lines. A disk that takes nothing leaves everything
 * as it is. True when the file was emptied.
 */
export function trimLog(path: string, maxBytes: number, whileStill: WhileStill = (work) => work()): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return size > maxBytes && whileStill(() => setAside(path))
}

function setAside(path: string): boolean {
  const older = `${path}.1`
  if (!tryStoring(() => copyWithOwner(path, older))) tryStoring(() => rmSync(older, { force: true }))
  return tryStoring(() => truncateSync(path))
}

function copyWithOwner(path: string, older: string): void {
  const { uid, gid } = statSync(path)
  copyFileSync(path, older)
  chownSync(older, uid, gid)
}
