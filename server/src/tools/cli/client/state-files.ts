// Files of a stopped gateway: which process has one open.

import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A process that has the file open, or null. Files are compared by device and inode, because a gateway behind its
 * own mounts knows them by other paths. Only root can see the processes of other accounts.
 */
export function findHolder(path: string): number | null {
  const wanted = lstatSync(path)
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
  return pids.find((pid) => openFiles(pid).some(({ dev, ino }) => dev === wanted.dev && ino === wanted.ino)) ?? null
}

function openFiles(pid: number): { readonly dev: number; readonly ino: number }[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false })
      return found ? [found] : []
    })
  } catch {
    // Already ended, or not readable by this account.
    return []
  }
}
