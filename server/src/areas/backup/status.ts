// How the automatic backups fare, and what of their settings is not carried out yet.

import type { StatusItem } from '../../contract/fields.ts'
import { type Config, read } from '../../contract/slots.ts'
import type { Services } from '../../http/handle.ts'
import { settings, type UploadKind } from './config.ts'

const titles: Readonly<Record<UploadKind, string>> = { ftp: 'FTP server', cifs: 'CIFS share' }

export const backupStatusItems = (config: Config, backups: Services['backups']): StatusItem[] => [
  automaticItem(config, backups),
  uploadItem(config, 'ftp'),
  uploadItem(config, 'cifs'),
]

function automaticItem(config: Config, backups: Services['backups']): StatusItem {
  const name = 'automatic-backup'
  const failure = backups.automaticFailure
  if (failure !== null) return { name, status: 'failed', msg: [`The last automatic backup failed: ${failure}`] }
  const last = backups.list().find(({ is_automatic }) => is_automatic)
  const { hour } = read(config, settings).common
  const at = `${String(hour).padStart(2, '0')}:00`
  const told = last
    ? `The last automatic backup was made at ${new Date(last.timestamp * 1000).toISOString()}.`
    : `No automatic backup was made yet; the first one is due at ${at}.`
  return { name, status: 'active', msg: [told] }
}

function uploadItem(config: Config, kind: UploadKind): StatusItem {
  const { enabled } = read(config, settings)[kind]
  const message = enabled
    ? `Stored; the upload to the ${titles[kind]} is not part of this release yet, so automatic backups stay on the gateway.`
    : `The upload to the ${titles[kind]} is off.`
  return { name: `${kind}-upload`, status: 'inactive', msg: [message] }
}
