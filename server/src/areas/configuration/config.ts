// How much of the history of the configuration is kept (docs/behaviour/storage.md 4).

import { type Config, read, single } from '../../core/model/slots.ts'
import { HistoryLimits } from './contract.ts'

export const history = single('configuration.history', HistoryLimits, { max_revisions: 10_000, max_megabytes: 256 })

/** At most this part of the disk, whatever is set. */
const shareOfDisk = 8

/** `diskBytes`: the size of the file system; null where it is not watched. */
export function limitsOf(config: Config, diskBytes: number | null): { revisions: number; bytes: number } {
  const { max_revisions, max_megabytes } = read(config, history)
  const bytes = max_megabytes * 1024 * 1024
  return { revisions: max_revisions, bytes: diskBytes === null ? bytes : Math.min(bytes, diskBytes / shareOfDisk) }
}
