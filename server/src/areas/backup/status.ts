// The status of automatic backups and their uploads.

import type { Services } from '../../core/area/handle.ts'
import type { Offered } from '../../core/area/service.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { settings, type UploadKind } from './config.ts'
import { missingUploads } from './jobs-uploads.ts'
import { backupsService, uploadsService } from './service.ts'

const titles: Readonly<Record<UploadKind, string>> = { ftp: say`FTP server`, cifs: say`CIFS share` }

export const backupStatusItems = (config: Config, services: Services): StatusItem[] => [
  automaticItem(config, services.of(backupsService)),
  uploadItem(config, services, 'ftp'),
  uploadItem(config, services, 'cifs'),
]

const timeOf = (unixSeconds: number): string => new Date(unixSeconds * 1000).toISOString()

const hourOf = (config: Config): string => `${String(read(config, settings).common.hour).padStart(2, '0')}:00`

function automaticItem(config: Config, backups: Offered<typeof backupsService>): StatusItem {
  const name = 'automatic-backup'
  const failure = backups.automaticFailure
  if (failure !== null) return { name, status: 'failed', msg: [say`The last automatic backup failed: ${failure}`] }
  const last = backups.list().find(({ is_automatic }) => is_automatic)
  const message = last
    ? say`The last automatic backup was made at ${timeOf(last.timestamp)}.`
    : say`No automatic backup has been made yet. The first one is due at ${hourOf(config)}.`
  return { name, status: 'active', msg: [message] }
}

/** Active only when the last upload succeeded. */
function uploadItem(config: Config, services: Services, kind: UploadKind): StatusItem {
  const item = (status: StatusItem['status'], ...msg: SaidText[]): StatusItem => ({
    name: `${kind}-upload`,
    status,
    msg,
  })
  const title = titles[kind]
  if (!read(config, settings)[kind].enabled) return item('inactive', say`The upload to the ${title} is disabled.`)
  if (!services.of(uploadsService)) return item('inactive', say`Stored; nothing is uploaded to the ${title} from here.`)
  const last = services
    .of(backupsService)
    .list()
    .find(({ uploads }) => uploads?.[kind] !== undefined)
  const upload = last?.uploads?.[kind]
  if (!last || !upload)
    return item(
      'inactive',
      say`Nothing has been uploaded to the ${title} yet. The next automatic backup is due at ${hourOf(config)}.`,
    )
  const backup = say`The backup of ${timeOf(last.timestamp)}`
  if (upload.state === 'done')
    return item('active', say`${backup} was uploaded to the ${title} at ${timeOf(upload.at)}.`)
  const missing = missingUploads(services.of(backupsService), kind).length
  const waiting = missing > 1 ? [say`${missing} backups are waiting to be uploaded.`] : []
  if (upload.state === 'waiting')
    return item('activating', say`${backup} is waiting to be uploaded to the ${title}.`, ...waiting)
  const again = say`The next try is at ${hourOf(config)}, or when these settings change.`
  return item(
    'failed',
    say`${backup} could not be uploaded to the ${title} at ${timeOf(upload.at)}: ${upload.message}`,
    ...waiting,
    again,
  )
}
