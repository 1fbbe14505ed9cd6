// What the launcher writes is for the curious: a disk that is full, read-only or failing must not end the gateway with it.

import { codeOf } from './failure.ts'

const storageFaults: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG', 'ENOMEM'])

/** A file system that does not take a write, or not now. */
export const isStorageFault = (error: unknown): boolean => storageFaults.has(codeOf(error))

/** Does the work unless the disk refuses it; false when it did. */
export function tryStoring(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!isStorageFault(error)) throw error
    return false
  }
}
