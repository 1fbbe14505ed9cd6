// How what backups offer is made.

import { join } from 'node:path'
import { type Host, type Run, run } from '../../core/area/run.ts'
import { release } from '../../shared/version.ts'
import { targetsService } from '../objects/service.ts'
import { startDailyBackup } from './jobs.ts'
import { Backups } from './runs/backups.ts'
import { moveEarlierBackups } from './runs/earlier-folder.ts'
import { uploadByFtp } from './runs/ftp-upload.ts'
import { backupsService, dailyBackupService, uploadsService } from './service.ts'

export const runs: readonly Run[] = [
  run(backupsService, (host) => {
    const { services, settings, reserve, aging } = host
    const backups = new Backups({
      folder: openFolder(host),
      keyFile: join(settings.folder, 'recovery.key'),
      signingKeyFile: join(settings.folder, 'backup-signing.key'),
      hasRoom: () => reserve?.hasRoomForLogs() ?? true,
      now: services.clock.now,
      aging,
      version: release,
    })
    return { offers: backups }
  }),
  run(uploadsService, ({ services, settings }) =>
    settings.isOnMachine
      ? { offers: { lookUp: services.of(targetsService).lookUp, ftp: (target, file) => uploadByFtp(target, file) } }
      : null,
  ),
  run(dailyBackupService, ({ services, settings, log }) => {
    if (!settings.isOnMachine) return null
    let daily: { stop(): void } | null = null
    return {
      offers: {},
      start: () => {
        daily = startDailyBackup(services, (error) => log('warning', 'the automatic backup failed', { error }))
      },
      stop: () => daily?.stop(),
    }
  }),
]

/** Beside our folder: applyd reads them, and must not be led elsewhere by a link that we could make. */
function openFolder({ settings: { folder, stateDir, isOnMachine }, log }: Host): string {
  const inside = join(folder, 'backups')
  if (!isOnMachine) return inside
  const beside = join(stateDir, 'backups')
  try {
    moveEarlierBackups(inside, beside)
  } catch (error) {
    log('warning', 'not all backups could be moved to their new folder; the next start tries again', { error })
  }
  return beside
}
