// Where files are: the checkout we run from and the state folder, with the rights each part needs.

import { chmodSync, chownSync, existsSync, lchownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, LaunchFailure } from './failure.ts'
import { labAccount, type ServiceAccount } from './privileges.ts'

/** The two folders as the started processes see them; see `mounts.ts` for when these differ from the real ones. */
export interface Places {
  readonly app: string
  readonly state: string
}

export const appRoot = dirname(dirname(dirname(import.meta.dirname)))

/** What of the checkout the started processes need. */
export function programEntries(): readonly string[] {
  return ['package.json', 'server', 'web', 'node_modules'].filter((name) => existsSync(join(appRoot, name)))
}

export const runDir = (stateDir: string) => join(stateDir, 'run')
export const gatewayDir = (stateDir: string) => join(stateDir, 'gateway')
export const applydDir = (stateDir: string) => join(stateDir, 'applyd')
export const labDir = (stateDir: string) => join(stateDir, 'lab')
export const logDir = (stateDir: string) => join(stateDir, 'log')

export function makeState(stateDir: string, account: ServiceAccount): void {
  try {
    refuseForeign(stateDir)
    makeDir(stateDir, 0o711)
    // First, because it identifies a state folder of ours.
    makeDir(gatewayDir(stateDir), 0o700, account, 'owner')
    makeDir(runDir(stateDir), 0o750, account, 'group')
    // Set-gid: what root writes here gatewayd can read, because it answers questions about the logs.
    makeDir(logDir(stateDir), 0o2750, account, 'group')
    makeDir(applydDir(stateDir), 0o700)
    makeDir(labDir(stateDir), 0o700, labAccount(account), 'owner')
  } catch (error) {
    if (codeOf(error) === '') throw error
    throw new LaunchFailure(`The state folder ${stateDir} cannot be set up: ${String(error)}.`)
  }
}

/** A slip in PORTCULLIS_STATE (`/etc`, a home) must not have its rights changed by us. */
function refuseForeign(stateDir: string): void {
  const names = listDir(stateDir)
  if (names.length > 0 && !names.includes('gateway'))
    throw new LaunchFailure(`The folder ${stateDir} contains other files. Set PORTCULLIS_STATE to a separate folder.`)
}

function listDir(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function makeDir(path: string, mode: number, account?: ServiceAccount, share?: 'group' | 'owner'): void {
  mkdirSync(path, { recursive: true })
  if (account?.kind === 'separate') {
    if (share === 'owner') giveTree(path, account)
    else chownSync(path, 0, account.gid)
  }
  // After the change of owner, and apart from mkdir's mode, which the umask would narrow.
  chmodSync(path, mode)
}

/** The account may have changed since the last start; then everything inside changes hands, links themselves included. */
function giveTree(path: string, account: ServiceAccount): void {
  const { uid, gid } = statSync(path)
  if (uid === account.uid && gid === account.gid) return
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), account.uid, account.gid)
  chownSync(path, account.uid, account.gid)
}

/** The pinned runtime: the processes run the Node of the lock file, not the one that happened to start us. */
export function runtimePath(app: string): string {
  return join(app, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')
}
