// Files that are whole or absent, also after a power cut: write beside, fsync, rename, fsync the directory.
// Never follows a symbolic link at the path itself.

import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { withReserve } from './reserve.ts'

/** `isForced: false` is for many files that can be made again: they are not synced one by one. */
export type Ownership = {
  readonly mode: number
  readonly uid?: number
  readonly gid?: number
  readonly isForced?: boolean
}

const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK } = fs.constants

export function writeDurable(path: string, data: string | Buffer, as?: Ownership, beforeRename?: () => void): void {
  withReserve(() => writeTemporary(path, data, as))
  beforeRename?.()
  fs.renameSync(temporaryPath(path), path)
  if (as?.isForced !== false) forceFolder(path)
}

function writeTemporary(path: string, data: string | Buffer, as?: Ownership): void {
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  removeTemporary(path)
  withFile(temporaryPath(path), O_WRONLY | O_CREAT | O_EXCL, (file) => {
    fs.writeFileSync(file, data)
    if (as) fs.fchownSync(file, as.uid ?? ownUid(), as.gid ?? ownGid())
    fs.fchmodSync(file, as?.mode ?? 0o600)
    if (as?.isForced !== false) fs.fsyncSync(file)
  })
}

export function removeDurable(path: string, as?: Ownership): void {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })) return
  fs.unlinkSync(path)
  if (as?.isForced !== false) forceFolder(path)
}

const forceFolder = (path: string): void => withFile(dirname(path), O_RDONLY | O_DIRECTORY, fs.fsyncSync)

/** The content of a regular file, or null. A link, a directory or a device at the path counts as nothing. */
export function readRegular(path: string): Buffer | null {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isFile()) return null
  return withFile(path, O_RDONLY, (file) => fs.readFileSync(file))
}

/** Called for a record that cannot be read. */
type Complain = (level: 'error', message: string, fields: Readonly<object>) => void

/** A record of applyd. One that cannot be read is ignored: its content is determined again from the machine. */
export function readJson<T>(path: string, log: Complain): T | null {
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
  return isOurs && (stat.mode & 0o7777) === as.mode && contentAt(path, stat)?.equals(content) === true
}

/** Needs no room when it is already there. */
export function ensureWritten(path: string, data: string | Buffer, as: Ownership): void {
  if (!isAsWritten(path, Buffer.from(data), as)) writeDurable(path, data, as)
}

/** Contents already read; thousands of files are compared every few seconds, and few of them have changed. */
const seen = new Map<string, { readonly stamp: string; readonly content: Buffer }>()
/** A file that changes twice within a tick of the clock has the same times. */
const settledMs = 2_000

function contentAt(path: string, { ino, size, mtimeMs, ctimeMs }: fs.Stats): Buffer | null {
  const stamp = `${ino} ${size} ${mtimeMs} ${ctimeMs}`
  const known = seen.get(path)
  if (known?.stamp === stamp) return known.content
  const content = readRegular(path)
  if (content !== null && Date.now() - ctimeMs > settledMs) seen.set(path, { stamp, content })
  else seen.delete(path)
  return content
}

/** What a crash between write and rename leaves behind. */
export const removeTemporary = (path: string): void => fs.rmSync(temporaryPath(path), { force: true })

const temporaryPath = (path: string): string => join(dirname(path), `.${basename(path)}.portcullis-new`)

/** Never a link, and a pipe or a device at the path is a fault instead of a wait. */
export function withFile<T>(path: string, flags: number, work: (file: number) => T): T {
  const file = fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600)
  try {
    const stat = fs.fstatSync(file)
    if (!stat.isFile() && !stat.isDirectory()) throw new Error(`${path} is not a plain file.`)
    return work(file)
  } finally {
    fs.closeSync(file)
  }
}

const ownUid = (): number => process.geteuid?.() ?? 0
const ownGid = (): number => process.getegid?.() ?? 0
