// Files of a stopped gateway: who has one open, and whom they belong to.

import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A process that has the file open, or null. Files are told apart by device and number, because a gateway behind its
 * own mounts knows them by other paths. Processes of others are seen only by root, who owns them anyway.
 */
export function findHolder(path: string): number | null {
  const wanted = statSync(path)
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
    // Ended meanwhile, or not ours to look into.
    return []
  }
}

/** What root made in the folder goes to the folder's owner, or the service could not open it any more. */
export function giveToOwner(folder: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = lstatSync(folder)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const owned = lstatSync(path, { throwIfNoEntry: false })
    if (owned && (owned.uid !== uid || owned.gid !== gid)) lchownSync(path, uid, gid)
  }
}
