// Logs that others append to, kept within their limit. They are in folders of root.

import { copyFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tryStoring } from './reserve.ts'

/**
 * Empties the file when it is larger, and keeps one older copy. Its writers append, so it can be emptied under them; what
 * they write between the copy and that is lost. Without room for the copy the older file goes as well: the newest lines are
 * worth more than no lines. A disk that takes nothing leaves everything as it is. True when the file was emptied.
 */
export function trimLog(path: string, maxBytes: number, keepsOlder = true): boolean {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return false
  const older = `${path}.1`
  if (keepsOlder && !tryStoring(() => copyFileSync(path, older))) tryStoring(() => rmSync(older, { force: true }))
  return tryStoring(() => truncateSync(path))
}
