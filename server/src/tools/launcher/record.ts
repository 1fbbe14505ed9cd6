// launcher.json: what runs, for the command line and the tests. Written atomically while there is room.

import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { DataPlane } from '../../core/plan/artifacts.ts'
import { tryStoring } from '../../shared/files/reserve.ts'
import { codeOf } from './failure.ts'
import { isRunning, type ProcessIdentity } from './identity.ts'
import { runDir } from './layout.ts'

export interface ProcessRecord {
  /** As the host counts; null while it is down or when the kernel does not show it. */
  readonly pid: number | null
  readonly starts: number
  readonly ready: boolean
}

export interface LauncherRecord {
  /** The process to signal. */
  readonly pid: number
  readonly launcher: ProcessIdentity
  /** A process that lives in the lab's mounts and process table: the door for nsenter. */
  readonly inside: ProcessIdentity
  readonly userNamespace: boolean
  readonly address: string
  readonly dataplane: DataPlane
  readonly limitation: string | null
  readonly namespaces: readonly string[]
  readonly started: string
  readonly processes: Readonly<Record<string, ProcessRecord>>
}

/** False when the disk does not take it: nothing depends on it but those who look. */
export function writeRecord(stateDir: string, record: LauncherRecord): boolean {
  const path = recordPath(stateDir)
  const draft = `${path}.draft`
  const text = `${JSON.stringify(record, null, 2)}\n`
  const isReplaced = tryStoring(() => {
    writeFileSync(draft, text, { mode: 0o644 })
    renameSync(draft, path)
  })
  if (isReplaced) return true
  tryStoring(() => rmSync(draft, { force: true }))
  return tryStoring(() => overwrite(path, text))
}

/** A full disk still takes what fits into the blocks that a file has. */
function overwrite(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o644)
  try {
    ftruncateSync(file, writeSync(file, text, 0))
  } finally {
    closeSync(file)
  }
}

export function removeRecord(stateDir: string): void {
  tryStoring(() => rmSync(recordPath(stateDir), { force: true }))
}

/** The record of a launcher that runs right now; null when none runs or a crash left its record behind. */
export function readRecord(stateDir: string): LauncherRecord | null {
  try {
    const record = JSON.parse(readFileSync(recordPath(stateDir), 'utf8')) as LauncherRecord
    return isRunning(record.launcher) && isRunning(record.inside) ? record : null
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

export function recordPath(stateDir: string): string {
  return join(runDir(stateDir), 'launcher.json')
}
