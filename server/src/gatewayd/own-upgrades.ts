// Upgrades of the gateway itself: what it may install, and the report that a version is in force. Wiring only.

import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import { Upgrades } from '../areas/updates/runs/upgrades.ts'
import { stateFormat } from '../core/database/state-format.ts'
import type { Log } from '../core/log.ts'
import { ownApp } from '../shared/files/plain.ts'
import { readTrustedKeys } from '../shared/files/signed-package.ts'
import { version } from '../shared/version.ts'
import { readInstalled } from '../upgrade/judge.ts'
import { installedApp, keyFolders, upgradePlaces } from '../upgrade/places.ts'
import type { Gateway } from './app.ts'
import type { Settings } from './settings.ts'

/** Only where the program was installed as a package; a checkout is updated otherwise. */
export function openUpgrades(settings: Settings, folder: string, room: () => number): Upgrades | null {
  if (!settings.isHost || ownApp !== installedApp) return null
  return new Upgrades({
    places: upgradePlaces(settings.stateDir),
    installed: () => {
      const found = readInstalled()
      return found && { ...found, format: stateFormat }
    },
    keys: () => readTrustedKeys(keyFolders),
    room,
    notedPath: join(folder, 'upgrade-noted'),
  })
}

/** The program of an upgrade waits for this: until then the version counts as not started. */
export async function reportWhenApplied({ engine }: Gateway, upgrades: Upgrades, log: Log): Promise<void> {
  const report = (isApplied: boolean): void => {
    try {
      upgrades.report(engine.revision, isApplied, version)
    } catch (error) {
      log('warning', 'the start was not reported', { error })
    }
  }
  report(false)
  while (engine.applied.outcome?.status !== 'applied') await passes(200)
  report(true)
  // So that an upgrade knows which configuration has to be in force after it.
  engine.onChanged(() => report(true))
}
