// Puts a small file in place so that after a power cut it is the old one or the new one, whole, and on the disk.

import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

export function writeDurably(path: string, content: string | Buffer): void {
  const staged = `${path}.new`
  const bytes = Buffer.from(content)
  // One left by a crash is removed. A link that another process put there is not followed but fails the call.
  rmSync(staged, { force: true })
  const file = openSync(staged, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(staged, path)
  syncFolder(dirname(path))
}

/** A name is on the disk only when its folder is. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
