// What runs for backups, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { Backups } from './runs/backups.ts'
import type { FtpTarget, UploadFile } from './runs/ftp-upload.ts'

/** Shares are reached through applyd; see Applier. */
export interface BackupUploads {
  /** The address of a name, or a sentence that says why it has none. */
  lookUp(name: string): Promise<{ readonly address: string } | { readonly fault: string }>
  /** Rejects with an error whose message is a sentence for the administrator. */
  ftp(target: FtpTarget, file: UploadFile): Promise<void>
}

export const backupsService = service<Backups>('backups')
export const uploadsService = optionalService<BackupUploads>('uploads of backups')
export const dailyBackupService = optionalService<object>('daily backup')
