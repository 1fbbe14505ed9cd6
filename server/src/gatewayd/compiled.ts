// Compiled code that the runtime keeps between starts. It lies under the path of what was compiled, and the path of a bundle is new
// with every version (decision 118), so that what was kept for earlier ones would stay for ever.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'

/** One version takes less than 4 MB. */
const mostBytes = 32 * 1024 * 1024

/** Keeps it now, because a process that is killed keeps nothing: the next start is then twice as fast. */
export function keepCompiled(folder = getCompileCacheDir(), most = mostBytes): void {
  flushCompileCache()
  if (folder === undefined) return
  try {
    const files = readdirSync(folder).map((name) => join(folder, name))
    const bytes = files.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
    if (bytes > most) for (const path of files) rmSync(path, { force: true })
  } catch {
    // A folder that is not there or cannot be written costs the next start some time, and nothing else.
  }
}
