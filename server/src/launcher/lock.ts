// One launcher per state folder. The lock is a file that names its owner; one left by a crash is replaced.

import { linkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../files/durable.ts'
import { writeNew } from '../files/guarded.ts'
import { codeOf, LaunchFailure } from './failure.ts'
import { isRunning, type ProcessIdentity, readIdentity } from './identity.ts'
import { runDir } from './layout.ts'

/** Takes the lock for this process or reports its owner. Returns our own identity. */
export function takeLock(stateDir: string): ProcessIdentity {
  const own = readIdentity(process.pid)
  if (own === null) throw new LaunchFailure('The process table in /proc cannot be read.')
  const path = lockPath(stateDir)
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true })
  writeNew(draft, JSON.stringify(own), 0o644)
  try {
    while (!tryLink(draft, path)) setStaleAside(path, stateDir)
  } finally {
    rmSync(draft, { force: true })
  }
  return own
}

export function releaseLock(stateDir: string): void {
  rmSync(lockPath(stateDir), { force: true })
}

/** Creating a hard link is atomic, also against another launcher. */
function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function setStaleAside(path: string, stateDir: string): void {
  refuseLiving(readOwner(path), stateDir)
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  try {
    // Between the look and the rename another launcher may have put its own lock there: give that back.
    const owner = readOwner(aside)
    if (owner !== null && isRunning(owner)) {
      tryLink(aside, path)
      refuseLiving(owner, stateDir)
    }
  } finally {
    rmSync(aside, { force: true })
  }
}

function refuseLiving(owner: ProcessIdentity | null, stateDir: string): void {
  if (owner !== null && isRunning(owner))
    throw new LaunchFailure(`Portcullis already runs with the state folder ${stateDir} (process ${owner.pid}).`)
}

function readOwner(path: string): ProcessIdentity | null {
  try {
    return JSON.parse(readRegular(path)?.toString() ?? '') as ProcessIdentity
  } catch {
    return null
  }
}

function lockPath(stateDir: string): string {
  return join(runDir(stateDir), 'launcher.lock')
}
