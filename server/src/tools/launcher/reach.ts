// Whether accounts other than root can get at the checkout and the state folder. A clone under /root or in a
// 0700 folder is out of their reach, and a clone made under umask 077 cannot be read by them even then.

import { type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { appRoot, programEntries, runtimePath } from './layout.ts'
import type { ServiceAccount } from './privileges.ts'
import { runTool } from './tools.ts'

const read = 4
const search = 1

/** Judged by the rights of all accounts: we start processes under more than one. */
export function isAllowedToAll(file: Pick<Stats, 'mode'>, wanted: number): boolean {
  return (file.mode & wanted) === wanted
}

export function canReach(path: string, account: ServiceAccount): boolean {
  if (account.kind !== 'separate') return true
  const parent = dirname(path)
  return isAllowedToAll(statSync(path), search) && (parent === path || canReach(parent, account))
}

/**
 * Makes the program readable to all accounts; it contains no secret. Its folder keeps its rights, so
 * a private clone stays as private as its owner made it.
 */
export function openProgram(account: ServiceAccount): void {
  if (account.kind !== 'separate' || samples().every(([path, wanted]) => isAllowedToAll(statSync(path), wanted))) return
  runTool('chmod', ['-R', 'go+rX', '--', ...programEntries().map((name) => join(appRoot, name))])
}

/** One file of each origin represents its tree: git wrote the one, npm the others. */
function samples(): readonly (readonly [string, number])[] {
  return [
    [join(appRoot, 'server/src/tools/launcher/main.ts'), read],
    [join(appRoot, 'server/src'), read | search],
    [join(appRoot, 'node_modules'), read | search],
    [runtimePath(appRoot), read | search],
  ]
}
