// Where files are: the checkout we run from and the state folder, with the rights each part needs.

import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { findReplaceable, giveTree, makeFolder } from '../../shared/files/guarded.ts'
import { everyone, findOutsiders } from '../../shared/files/launched.ts'
import { ownApp } from '../../shared/files/plain.ts'
import { codeOf, LaunchFailure } from './failure.ts'
import { type Accounts, labAccount, type ServiceAccount } from './privileges.ts'

/** The two folders as the started processes see them; see `mounts.ts` for when these differ from the real ones. */
export interface Places {
  readonly app: string
  readonly state: string
}

export const appRoot = ownApp

/** What of the checkout the started processes need. */
export function programEntries(): readonly string[] {
  return ['package.json', 'scripts', 'server', 'web', 'node_modules'].filter((name) => existsSync(join(appRoot, name)))
}

export const runDir = (stateDir: string) => join(stateDir, 'run')
export const backupsDir = (stateDir: string) => join(stateDir, 'backups')
export const gatewayDir = (stateDir: string) => join(stateDir, 'gateway')
export const applydDir = (stateDir: string) => join(stateDir, 'applyd')
export const labDir = (stateDir: string) => join(stateDir, 'lab')
export const logDir = (stateDir: string) => join(stateDir, 'log')

/** The real path of the state folder, which is made if it is missing. */
export function openState(stateDir: string): string {
  try {
    mkdirSync(stateDir, { recursive: true })
    return realpathSync(stateDir)
  } catch (error) {
    throw new LaunchFailure(`The state folder ${stateDir} cannot be set up: ${String(error)}.`)
  }
}

export function makeState(stateDir: string, accounts: Accounts): void {
  const { service: account } = accounts
  try {
    refuseForeign(stateDir)
    refuseReplaceable(stateDir, account)
    refuseOutsider(stateDir, account)
    chmodSync(stateDir, 0o711)
    // First, because it identifies a state folder of ours.
    makeDir(gatewayDir(stateDir), 0o700, account, 'owner')
    makeDir(backupsDir(stateDir), 0o700, account, 'owner')
    makeDir(runDir(stateDir), 0o751, account, 'group')
    // Set-gid: what root writes here gatewayd can read, because it answers questions about the logs.
    makeDir(logDir(stateDir), 0o2750, account, 'group')
    makeDir(applydDir(stateDir), 0o700)
    makeDir(labDir(stateDir), 0o700, labAccount(accounts, 'portcullis-lab-web'), 'owner')
  } catch (error) {
    if (codeOf(error) === '') throw error
    throw new LaunchFailure(`The state folder ${stateDir} cannot be set up: ${String(error)}.`)
  }
}

/** A slip in PORTCULLIS_STATE (`/etc`, a home) must not have its rights changed by us. */
function refuseForeign(stateDir: string): void {
  const names = readdirSync(stateDir)
  if (names.length > 0 && !names.includes('gateway'))
    throw new LaunchFailure(`The folder ${stateDir} contains other files. Set PORTCULLIS_STATE to a separate folder.`)
}

/** Root works in this folder, so the account of gatewayd must not be able to put another one in its place. */
function refuseReplaceable(stateDir: string, account: ServiceAccount): void {
  if (account.kind !== 'separate') return
  const folder = findReplaceable(stateDir, [account])
  if (folder === null) return
  throw new LaunchFailure(
    `The service account could replace ${folder}, which leads to the state folder. Run "chmod o-w ${folder}" or change its owner, or set PORTCULLIS_STATE.`,
  )
}

/** An account that decides what is in the state folder and could not change this program anyway; null when there is none. */
export function findOutsider(stateDir: string): number | null {
  const known = findOutsiders(appRoot)
  return [...findOutsiders(stateDir)].find((uid) => !known.has(uid)) ?? null
}

/** Root runs compiled code from this folder and believes its records. */
function refuseOutsider(stateDir: string, account: ServiceAccount): void {
  const outsider = account.kind === 'separate' ? findOutsider(stateDir) : null
  if (outsider === null) return
  const who = outsider === everyone ? 'Every account' : `Another account (uid ${outsider})`
  throw new LaunchFailure(
    `${who} could replace the state folder ${stateDir} or what is in it. Set PORTCULLIS_STATE to a folder of root.`,
  )
}

function makeDir(path: string, mode: number, account?: ServiceAccount, share?: 'group' | 'owner'): void {
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  const isSeparate = account?.kind === 'separate'
  // The account may have changed since the last start; then everything inside changes hands.
  if (isSeparate && share === 'owner' && existsSync(path)) giveTree(path, account)
  const owner = isSeparate ? (share === 'owner' ? account : { ...own, gid: account.gid }) : own
  makeFolder(path, mode, owner)
}

/** The pinned runtime: the processes run the Node of the lock file, not the one that happened to start us. */
export function runtimePath(app: string): string {
  return join(app, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')
}
