// How what updates offer is made: upgrades of the gateway itself.

import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import { type Host, type Run, roomForLists, run } from '../../core/area/run.ts'
import { stateFormat } from '../../core/database/state-format.ts'
import { ownApp } from '../../shared/files/plain.ts'
import { readTrustedKeys } from '../../shared/files/signed-package.ts'
import { version } from '../../shared/version.ts'
import { readInstalled } from '../../upgrade/judge.ts'
import { installedApp, keyFolders, upgradePlaces } from '../../upgrade/places.ts'
import { followUpgrades } from './jobs.ts'
import { Upgrades } from './runs/upgrades.ts'
import { upgradesService } from './service.ts'

export const runs: readonly Run[] = [
  run(upgradesService, (host) => {
    const { services, settings, log } = host
    // Only where the program was installed as a package; a checkout is updated otherwise.
    if (!settings.isOnMachine || !settings.isHost || ownApp !== installedApp) return null
    const upgrades = new Upgrades({
      places: upgradePlaces(settings.stateDir),
      installed: () => {
        const found = readInstalled()
        return found && { ...found, format: stateFormat }
      },
      keys: () => readTrustedKeys(keyFolders),
      room: () => roomForLists(host),
      notedPath: join(settings.folder, 'upgrade-noted'),
    })
    let ends: { stop(): void } | null = null
    return {
      offers: upgrades,
      start: () => {
        ends = followUpgrades(services, (error) => log('warning', 'an upgrade was not noted', { error }))
        void reportWhenApplied(host, upgrades)
      },
      stop: () => ends?.stop(),
    }
  }),
]

/** The program of an upgrade waits for this: until then the version counts as not started. */
async function reportWhenApplied({ engine, log }: Host, upgrades: Upgrades): Promise<void> {
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
