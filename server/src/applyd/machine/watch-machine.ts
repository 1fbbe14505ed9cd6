// The verb `machine`: what a look at the machine read, kept for a few seconds. It waits for nothing that changes the machine:
// while the kernel takes rules, what other programs have there is what was seen last.

import type { DataPlane, Observation } from '../../core/plan/artifacts.ts'
import type { MachineReport } from '../../core/plan/machine.ts'
import { engines } from '../../engines/index.ts'
import { ownApp } from '../../shared/files/plain.ts'
import type { Busy } from '../loaded/busy.ts'
import { lookAt, readForeignTables } from './look.ts'

const keptMs = 5000

export interface MachineParts {
  readonly plane: DataPlane
  readonly stateDir: string
  readonly nft: readonly string[]
  readonly busy: Busy
  readonly missingLimits: string | null
  readonly observe: () => Pick<Observation, 'units' | 'links'>
}

/** All who ask at the same time share one look. */
export function createMachineWatch(parts: MachineParts): () => Promise<MachineReport | null> {
  const { plane, stateDir, nft, busy, missingLimits, observe } = parts
  const readTables = busy.lastSeen(
    () => readForeignTables(nft),
    () => [],
  )
  let kept: { readonly at: number; readonly found: Promise<MachineReport | null> } | null = null
  const look = async (): Promise<MachineReport | null> => {
    if (plane === 'none') return null
    const { units, links } = observe()
    const devices = links.map(({ device }) => device)
    const texts = await lookAt({ plane, engines, devices, readTables })
    return { ...texts, stateDir, app: ownApp, units, missingLimits }
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
