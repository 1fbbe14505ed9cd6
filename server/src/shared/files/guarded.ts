// Files and folders of the state folder for processes that run as root, where another account can write beside them or in
// them. Nothing here follows a link, waits for a named pipe, or changes what belongs to a third account. The folders above
// are checked once, at the start.

import * as fs from 'node:fs'
import { dirname, join } from 'node:path'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK } = fs.constants
/** O_PATH of Linux: names a file without opening it, so that a device or a pipe is not touched. */
const O_PATH = 0o10000000

/**
 * The path itself or a folder above it that one of the accounts could replace, or null: it belongs to the account or its
 * group may write it, or everyone may (a folder such as /tmp lets only owners remove their entries).
 */
export function findReplaceable(path: string, accounts: readonly Owner[]): string | null {
  for (let folder = fs.realpathSync(path); ; folder = dirname(folder)) {
    const { uid, gid, mode } = fs.lstatSync(folder)
    const isOpen = (mode & 0o002) !== 0 && (mode & 0o1000) === 0
    const isTheirs = accounts.some((one) => one.uid === uid || (one.gid === gid && (mode & 0o020) !== 0))
    if (isOpen || isTheirs) return folder
    if (folder === dirname(folder)) return null
  }
}

/** Makes the folder if it is missing and sets owner and mode. One that belongs to neither us nor the owner is refused. */
export function makeFolder(path: string, mode: number, owner: Owner): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
  }
  withHandle(path, O_RDONLY | O_DIRECTORY, (folder) => {
    const { uid } = fs.fstatSync(folder)
    if (uid !== ownUid() && uid !== owner.uid) throw new Error(`${path} belongs to another account (uid ${uid}).`)
    fs.fchownSync(folder, owner.uid, owner.gid)
    fs.fchmodSync(folder, mode)
  })
}

/**
 * Gives a folder and what is in it to another account. Walks by handles, so that no folder can be replaced by a link on the
 * way, and takes only what belonged to the account before: a hard link to a file of a third account stays as it is, and so
 * do links, which are never ours.
 */
export function giveTree(path: string, to: Owner): void {
  const give = (folder: number, from: number): void => {
    for (const name of fs.readdirSync(`/proc/self/fd/${folder}`))
      withHandle(`/proc/self/fd/${folder}/${name}`, O_PATH, (entry) => {
        const stat = fs.fstatSync(entry)
        if (stat.uid !== from || stat.isSymbolicLink()) return
        // The handle is the file itself, whatever has its name by now.
        if (stat.isDirectory()) give(fs.openSync(`/proc/self/fd/${entry}`, O_RDONLY | O_DIRECTORY), from)
        else fs.chownSync(`/proc/self/fd/${entry}`, to.uid, to.gid)
      })
    fs.fchownSync(folder, to.uid, to.gid)
    fs.closeSync(folder)
  }
  const folder = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const { uid, gid } = fs.fstatSync(folder)
  if (uid !== to.uid || gid !== to.gid) give(folder, uid)
  else fs.closeSync(folder)
}

/** A file that must not exist yet. */
export function writeNew(path: string, data: string | Buffer, mode: number): void {
  const file = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  try {
    fs.writeFileSync(file, data)
  } finally {
    fs.closeSync(file)
  }
}

/**
 * Opens a plain file of the account below a folder that the account can write; null when there is none. No name on the way
 * may be a link. The caller closes it.
 */
export function openOwned(base: string, names: readonly string[], uid: number): number | null {
  const [name = '', ...rest] = names
  if (name === '' || name.includes('/')) return null
  try {
    if (rest.length > 0)
      return withHandle(join(base, name), O_RDONLY | O_DIRECTORY, (folder) =>
        openOwned(`/proc/self/fd/${folder}`, rest, uid),
      )
    const file = fs.openSync(`${base}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stat = fs.fstatSync(file)
    if (stat.isFile() && stat.uid === uid) return file
    fs.closeSync(file)
    return null
  } catch (fault) {
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'EACCES', 'ENXIO'].includes((fault as NodeJS.ErrnoException).code ?? ''))
      return null
    throw fault
  }
}

/** The content of such a file; null when there is none, or it is larger than a file of that kind can be. */
export function readOwned(base: string, names: readonly string[], uid: number, maxBytes = 1024 * 1024): Buffer | null {
  const file = openOwned(base, names, uid)
  if (file === null) return null
  try {
    return fs.fstatSync(file).size > maxBytes ? null : fs.readFileSync(file)
  } finally {
    fs.closeSync(file)
  }
}

function withHandle<T>(path: string, flags: number, work: (handle: number) => T): T {
  const handle = fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK)
  try {
    return work(handle)
  } finally {
    fs.closeSync(handle)
  }
}

const ownUid = (): number => process.geteuid?.() ?? 0
