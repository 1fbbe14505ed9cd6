// The verb `conflicts`: what a look at the machine found, kept for a few seconds. It waits for nothing that changes the machine:
// while the kernel takes rules, what other programs have there is what was seen last.

import type { Conflict, DataPlane, Observation } from '../../core/plan/artifacts.ts'
import { engines } from '../../engines/index.ts'
import { ownApp } from '../../shared/files/plain.ts'
import type { Busy } from '../loaded/busy.ts'
import { judge } from './conflicts.ts'
import { lookAt, readForeignTables } from './look.ts'
import { packageUnits, watchedPorts } from './watched.ts'

const keptMs = 5000

export interface ConflictParts {
  readonly plane: DataPlane
  readonly stateDir: string
  readonly nft: readonly string[]
  readonly busy: Busy
  readonly missingLimits: string | null
  readonly observe: () => Pick<Observation, 'units' | 'links'>
}

/** All who ask at the same time share one look. */
export function createConflictWatch({
  plane,
  stateDir,
  nft,
  busy,
  missingLimits,
  observe,
}: ConflictParts): () => Promise<readonly Conflict[]> {
  const readTables = busy.lastSeen(
    () => readForeignTables(nft),
    () => [],
  )
  let kept: { readonly at: number; readonly found: Promise<readonly Conflict[]> } | null = null
  const look = async (): Promise<readonly Conflict[]> => {
    if (plane === 'none') return []
    const { units, links } = observe()
    const devices = links.map(({ device }) => device)
    const common = { plane, stateDir, app: ownApp, hasGateway: true, devices, readTables }
    const parts = { ports: watchedPorts(engines, units), packageUnits: packageUnits(engines) }
    return judge({ ...(await lookAt({ ...common, ...parts })), missingLimits })
  }
  return () => {
    const now = performance.now()
    if (kept && now - kept.at < keptMs) return kept.found
    const found = look()
    kept = { at: now, found }
    // A look that failed is not kept.
    found.catch(() => {
      kept = null
    })
    return found
  }
}
