// Files that are whole or absent, also after a power cut: write beside, fsync, rename, fsync the directory.
// Never follows a link that someone planted at the path itself.

import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Log } from './text.ts'

export type Ownership = { readonly mode: number; readonly uid?: number; readonly gid?: number }

const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = fs.constants

export function writeDurable(path: string, data: string | Buffer, as?: Ownership, beforeRename?: () => void): void {
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  removeTemporary(path)
  withFile(temporaryPath(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, (file) => {
    fs.writeFileSync(file, data)
    if (as) fs.fchownSync(file, as.uid ?? ownUid(), as.gid ?? ownGid())
    fs.fchmodSync(file, as?.mode ?? 0o600)
    fs.fsyncSync(file)
  })
  beforeRename?.()
  fs.renameSync(temporaryPath(path), path)
  withFile(dirname(path), O_RDONLY | O_DIRECTORY, fs.fsyncSync)
}

export function removeDurable(path: string): void {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })) return
  fs.unlinkSync(path)
  withFile(dirname(path), O_RDONLY | O_DIRECTORY, fs.fsyncSync)
}

/** The content of a regular file, or null. A link, a directory or a device at the path counts as nothing. */
export function readRegular(path: string): Buffer | null {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isFile()) return null
  return withFile(path, O_RDONLY | O_NOFOLLOW, (file) => fs.readFileSync(file))
}

/** A record of our own. One that cannot be read is worth nothing: what it spoke of is then found out anew. */
export function readJson<T>(path: string, log: Log): T | null {
  try {
    return JSON.parse(readRegular(path)?.toString() ?? 'null') as T | null
  } catch (fault) {
    log('error', 'A record of applyd cannot be read and is ignored', { file: basename(path), fault })
    return null
  }
}

/** True when the path holds exactly this content with this owner and mode (null: when nothing is there). */
export function isAsWritten(path: string, content: Buffer | null, as: Ownership): boolean {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (content === null || !stat) return content === null && !stat
  const isOurs = stat.uid === (as.uid ?? ownUid()) && stat.gid === (as.gid ?? ownGid()) && stat.nlink === 1
  return isOurs && (stat.mode & 0o7777) === as.mode && readRegular(path)?.equals(content) === true
}

/** What a crash between write and rename leaves behind. */
export const removeTemporary = (path: string): void => fs.rmSync(temporaryPath(path), { force: true })

const temporaryPath = (path: string): string => join(dirname(path), `.${basename(path)}.portcullis-new`)

export function withFile<T>(path: string, flags: number | string, work: (file: number) => T): T {
  const file = fs.openSync(path, flags, 0o600)
  try {
    return work(file)
  } finally {
    fs.closeSync(file)
  }
}

const ownUid = (): number => process.geteuid?.() ?? 0
const ownGid = (): number => process.getegid?.() ?? 0
