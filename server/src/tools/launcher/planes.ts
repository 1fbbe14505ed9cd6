// Which data plane this machine gives us and how our processes are walled off for it. The decision is pure;
// `readAbilities` is the look at the machine that feeds it.

import { spawnSync } from 'node:child_process'
import type { DataPlane } from '../../core/plan/artifacts.ts'
import { LaunchFailure } from './failure.ts'
import { findTool, firstLine, toolPath } from './tools.ts'

/**
 * The walls around our processes. `root` and `user` have their own mounts and process table, so that the
 * kernel ends everything with the launcher; `user` does it inside a user namespace. `mounts` is for the host
 * plane, where engines must outlive us. `plain` is what is left when the kernel grants nothing.
 */
export type Isolation = 'root' | 'user' | 'mounts' | 'plain'

export interface Abilities {
  readonly isRoot: boolean
  /** Programs the lab cannot do without and that are not installed. */
  readonly missingTools: readonly string[]
  /** Why namespaces cannot be made, or null when they can. */
  readonly namespaceRefusal: string | null
}

export interface PlaneChoice {
  readonly plane: DataPlane
  /** Why nothing is applied, for the banner and the status; null when everything is. */
  readonly limitation: string | null
  readonly isolation: Isolation
}

export function choosePlane(asked: DataPlane, abilities: Abilities): PlaneChoice {
  if (asked === 'host') return chooseHost(abilities)
  const limitation = asked === 'none' ? 'the data plane none was asked for' : labRefusal(abilities)
  if (limitation === null) return { plane: 'lab', limitation: null, isolation: abilities.isRoot ? 'root' : 'user' }
  // Without root there is no second account to fence off, so a user namespace would add nothing to `none`.
  const canIsolate = abilities.isRoot && abilities.namespaceRefusal === null
  return { plane: 'none', limitation, isolation: canIsolate ? 'root' : 'plain' }
}

function chooseHost(abilities: Abilities): PlaneChoice {
  if (!abilities.isRoot) throw new LaunchFailure('The host data plane changes this machine and needs root.', 2)
  if (abilities.missingTools.length > 0)
    throw new LaunchFailure(`The host data plane needs ${list(abilities.missingTools)}: please install.`, 2)
  return { plane: 'host', limitation: null, isolation: abilities.namespaceRefusal === null ? 'mounts' : 'plain' }
}

function labRefusal({ missingTools, namespaceRefusal, isRoot }: Abilities): string | null {
  if (missingTools.length > 0) return `the lab needs ${list(missingTools)}, not installed here`
  if (namespaceRefusal === null) return null
  const remedy = isRoot ? 'this container or machine does not allow them' : 'start it as root for the lab'
  return `the lab needs namespaces and the kernel refused them (${namespaceRefusal}); ${remedy}`
}

function list(names: readonly string[]): string {
  return names.join(' and ')
}

/** Options of unshare(1) that build the walls. `slave` keeps our mounts from the host but not the host's from us. */
export function unshareFlags(isolation: Exclude<Isolation, 'plain'>): readonly string[] {
  const mounts = ['--mount', '--propagation', 'slave']
  if (isolation === 'mounts') return mounts
  const processes = [...mounts, '--pid', '--fork', '--kill-child']
  return isolation === 'root' ? processes : ['--user', '--map-root-user', ...processes]
}

export function readAbilities(): Abilities {
  const isRoot = process.geteuid?.() === 0
  return {
    isRoot,
    missingTools: ['ip', 'nft'].filter((name) => findTool(name) === null),
    namespaceRefusal: tryNamespaces(isRoot ? 'root' : 'user'),
  }
}

/** This must be tried: containers, sysctls and security modules each refuse differently. */
function tryNamespaces(isolation: 'root' | 'user'): string | null {
  const unshare = findTool('unshare')
  if (unshare === null) return 'unshare is not installed'
  const result = spawnSync(unshare, [...unshareFlags(isolation), '--mount-proc', '--net', '--', toolPath('true')], {
    encoding: 'utf8',
  })
  return result.status === 0 ? null : firstLine(result.stderr) || 'no reason given'
}
