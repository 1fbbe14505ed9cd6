// One launcher per state folder. The lock is a symbolic link that names its owner, because a short one needs no block of a
// disk that may be full; one left by a crash is replaced.

import { readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../../shared/files/durable.ts'
import { tryStoring } from '../../shared/files/reserve.ts'
import { codeOf, LaunchFailure } from './failure.ts'
import { isRunning, type ProcessIdentity, readIdentity } from './identity.ts'
import { runDir } from './layout.ts'

/** Takes the lock for this process or reports its owner. Returns our own identity. */
export function takeLock(stateDir: string): ProcessIdentity {
  const own = readIdentity(process.pid)
  if (own === null) throw new LaunchFailure('The process table in /proc cannot be read.')
  const path = lockPath(stateDir)
  try {
    while (!tryLink(own, path)) setStaleAside(path, stateDir)
  } catch (error) {
    if (codeOf(error) === '') throw error
    throw new LaunchFailure(`The state folder ${stateDir} cannot be locked: ${String(error)}.`)
  }
  return own
}

export function releaseLock(stateDir: string): void {
  tryStoring(() => rmSync(lockPath(stateDir), { force: true }))
}

/** Creating a link is atomic, also against another launcher. */
function tryLink({ pid, startTicks, bootId }: ProcessIdentity, path: string): boolean {
  try {
    symlinkSync(`${pid} ${startTicks} ${bootId}`, path)
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
      tryLink(owner, path)
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
    const [pid = '', startTicks = '', bootId = ''] = readlinkSync(path).split(' ')
    return { pid: Number(pid), startTicks, bootId }
  } catch (error) {
    return codeOf(error) === 'EINVAL' ? readOwnerFile(path) : null
  }
}

/** The lock of earlier releases was a file. */
function readOwnerFile(path: string): ProcessIdentity | null {
  try {
    return JSON.parse(readRegular(path)?.toString() ?? '') as ProcessIdentity
  } catch {
    return null
  }
}

function lockPath(stateDir: string): string {
  return join(runDir(stateDir), 'launcher.lock')
}
