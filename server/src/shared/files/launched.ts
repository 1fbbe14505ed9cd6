// What only the launcher asks of folders and files: who else decides what is in them, and logs of what it starts.

import * as fs from 'node:fs'
import { dirname } from 'node:path'

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants

/** Stands for all accounts. */
export const everyone = -1

/**
 * The accounts beside root and our own that decide what is in a folder: those that own it or a folder above it, and everyone
 * where everyone can write. In a folder such as /tmp others cannot replace an entry, but can make one.
 */
export function findOutsiders(path: string): ReadonlySet<number> {
  const start = fs.realpathSync(path)
  const found = new Set<number>()
  for (let folder = start; ; folder = dirname(folder)) {
    const { uid, mode } = fs.lstatSync(folder)
    if (uid !== 0 && uid !== process.geteuid?.()) found.add(uid)
    if ((mode & 0o002) !== 0 && (folder === start || (mode & 0o1000) === 0)) found.add(everyone)
    if (folder === dirname(folder)) return found
  }
}

/** Opens a log for appending; a link or a pipe at its place is a fault. The caller closes it. */
export function openForAppending(path: string, mode: number): number {
  const file = fs.openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode)
  if (fs.fstatSync(file).isFile()) return file
  fs.closeSync(file)
  throw new Error(`${path} is not a plain file.`)
}
