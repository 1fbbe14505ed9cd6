// Which files of a folder of lists are lists, and of which category: `<folder>/domains` and `<folder>/urls`, at most three
// folders deep, by the name of the folder. Links are not followed.

import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../../shared/said.ts'
import { ListsRefused } from './refused.ts'

const maxDepth = 3
const maxFolders = 4_000
const listNames = new Set(['domains', 'urls'])

/** Ids of categories by the names of folders, as folderKey() gives them. */
export type FolderNames = Readonly<Record<string, string>>

export const folderKey = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')

export interface ListName {
  /** Such as `gambling/domains`. */
  readonly file: string
  readonly folder: string
  /** Null when the folder names none. */
  readonly category: string | null
}

/** The list that a path in a folder or archive is; null when it is not one. */
export function listOf(path: string, names: FolderNames): ListName | null {
  const parts = path.split('/')
  const last = parts.at(-1) ?? ''
  const folder = parts.at(-2)
  if (!listNames.has(last) || folder === undefined) return null
  const both = parts.slice(-3, -1).join('/')
  const known = [both, folder].find((name) => Object.hasOwn(names, folderKey(name)))
  const shown = (known ?? folder).slice(0, 120)
  return {
    file: `${shown}/${last}`,
    folder: shown,
    category: known === undefined ? null : (names[folderKey(known)] ?? null),
  }
}

export interface FoundFile {
  /** Below the folder. */
  readonly path: string
  readonly bytes: number
  readonly changedAt: number
}

/** Every list below a folder, in order of names; none when there is no such folder. */
export async function findLists(folder: string): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  let folders = 0
  const walk = async (below: string, depth: number): Promise<void> => {
    for (const entry of await entriesOf(join(folder, below))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory() && depth < maxDepth) {
        if (++folders > maxFolders) throw new ListsRefused(say`There are more than ${maxFolders} folders of lists.`)
        await walk(path, depth + 1)
      }
      if (!entry.isFile() || depth === 0 || !listNames.has(entry.name)) continue
      const { size, mtimeMs } = await stat(join(folder, path))
      found.push({ path, bytes: size, changedAt: mtimeMs })
    }
  }
  await walk('', 0)
  return found
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
