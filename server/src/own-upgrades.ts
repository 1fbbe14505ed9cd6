// Upgrades of the gateway itself: what it may install, and the report that a version is in force. Wiring only.

import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import type { Gateway } from './app.ts'
import { stateFormat } from './database/state-format.ts'
import { ownApp } from './files/plain.ts'
import { readTrustedKeys } from './files/signed-package.ts'
import type { Log } from './runtime/logs/log.ts'
import { Upgrades } from './runtime/upgrades/upgrades.ts'
import type { Settings } from './settings.ts'
import { readInstalled } from './upgrade/judge.ts'
import { installedApp, keyFolders, upgradePlaces } from './upgrade/places.ts'
import { version } from './version.ts'

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
