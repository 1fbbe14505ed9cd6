// Versions up to 0.1.0 kept backups inside of the folder of the configuration. They are moved at the start, by gatewayd itself.

import {
  closeSync,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../../shared/files/durable-file.ts'

/** What cannot be moved stays where it is and is tried again at the next start; then this throws. */
export function moveEarlierBackups(from: string, to: string): void {
  if (!lstatSync(from, { throwIfNoEntry: false })?.isDirectory()) return
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const names = readdirSync(from, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  // Files before their records: a file without a record gets one, but a record without its file is removed.
  for (const ending of ['.backup', '.json'])
    for (const name of names.filter((one) => one.endsWith(ending))) move(join(from, name), join(to, name))
  syncFolder(to)
  // Half files that a stop left behind.
  for (const name of names.filter((one) => one.endsWith('.new'))) rmSync(join(from, name), { force: true })
  if (readdirSync(from).length === 0) rmdirSync(from)
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (fault) {
    // In the sandbox of the unit both folders are mounts of their own.
    if ((fault as NodeJS.ErrnoException).code !== 'EXDEV') throw fault
    copyWhole(from, to)
    rmSync(from)
  }
}

/** Under another name until it is whole; what an interruption leaves is removed with other half backups. */
function copyWhole(from: string, to: string): void {
  const arriving = `${to}.new`
  try {
    copyFileSync(from, arriving)
    const file = openSync(arriving, 'r')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(arriving, to)
  } finally {
    rmSync(arriving, { force: true })
  }
}
