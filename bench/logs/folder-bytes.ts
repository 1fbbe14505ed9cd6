import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What all files below a folder take on the disk. Files that go in the meantime count as nothing. */
export const folderBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return sum + (found?.isFile() ? found.blocks * 512 : 0)
  }, 0)
