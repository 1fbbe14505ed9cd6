// Backups of the configuration, their settings and the return to the previous version (docs/behaviour/backup.md). The
// recovery key exists because backups are sealed and must be restorable on another machine.

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { CreatedString, nullable, oneOf, StatusItem, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** The last label begins with a letter: some programs read `2130706433` as an address. */
const domainPattern = `(?:${label}\\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

const Server = Type.String({
  pattern: `^(?:${addressPattern}|${domainPattern})?$`,
  maxLength: 253,
  description: 'IPv4 address or domain; can be empty while the upload is disabled.',
  'x-fault': 'Must be an IPv4 address or a domain name.',
})

const Login = text({ maxLength: 255, description: 'Can be empty while the upload is disabled.' })

const Password = text({
  'x-secret': true,
  maxLength: 42,
  description:
    'Shown to administrators with full access only, *** to others; null, *** or absence keeps the stored one.',
})

const RemoteDir = Type.String({
  pattern: '^(?!(?:[^]*/)?\\.\\.(?:/|$))[^\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$',
  maxLength: 255,
  description: 'Folder on the server in UNIX form, without the host; can be empty while the upload is disabled.',
  'x-fault': 'Must be a folder such as dir_1/dir_2/backup, without \\ and without ..',
})

const commonFields = {
  hour: Type.Integer({
    minimum: 0,
    maximum: 23,
    description: 'Hour of the automatic backup, in the time zone of the gateway.',
  }),
  rotate: oneOf(['weekly', 'monthly'], 'Delete backups that are older than a week or a month.'),
}

const uploadFields = {
  enabled: Type.Boolean(),
  server: Server,
  login: Login,
  password: Password,
  remote_dir: RemoteDir,
}

export const Upload = strictObject(uploadFields)
export type Upload = Static<typeof Upload>

const UploadPatch = strictObject({
  enabled: Type.Optional(uploadFields.enabled),
  server: Type.Optional(Server),
  login: Type.Optional(Login),
  password: Type.Optional(nullable(Password)),
  remote_dir: Type.Optional(RemoteDir),
})
export type UploadPatch = Static<typeof UploadPatch>

export const Common = strictObject(commonFields)

export const BackupSettings = strictObject({ common: Common, ftp: Upload, cifs: Upload })
export type BackupSettings = Static<typeof BackupSettings>

export const BackupSettingsPatch = strictObject({
  common: Type.Optional(
    strictObject({ hour: Type.Optional(commonFields.hour), rotate: Type.Optional(commonFields.rotate) }),
  ),
  ftp: Type.Optional(UploadPatch),
  cifs: Type.Optional(UploadPatch),
})
export type BackupSettingsPatch = Static<typeof BackupSettingsPatch>

const versionFields = {
  major: Type.Integer({ minimum: 0 }),
  minor: Type.Integer({ minimum: 0 }),
  build: Type.Integer({ minimum: 0 }),
  timestamp: Type.Integer({ minimum: 0, 'x-time': 'unix', description: 'Build time, unix seconds.' }),
  vendor: text({ maxLength: 255 }),
  product: oneOf(['UTM', 'CC'], 'Gateway or console.'),
  release_type: oneOf(['release', 'beta', 'devel']),
}

export const BackupVersion = strictObject({ ...versionFields, kind: oneOf(['FSTEK', 'VPP', 'STANDARD', 'BPF']) })
export type BackupVersion = Static<typeof BackupVersion>

const SystemVersion = strictObject({
  ...versionFields,
  kind: oneOf(['FSTEK', 'NGFW-FSTEK', 'VPP', 'STANDARD', 'BPF']),
})

/** No daemon reads it, so it can have lines and tabs (docs/behaviour/backup.md 1). */
const BackupComment = Type.String({
  'x-lines': true,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$',
  description: 'Any text; can be empty.',
  'x-fault': 'Must not contain control characters other than tabs and line ends.',
})

const archiveFields = {
  version: BackupVersion,
  timestamp: Type.Number({
    minimum: 0,
    maximum: 1e11,
    'x-time': 'unix',
    description: 'Time of creation, unix seconds.',
  }),
  comment: BackupComment,
}

/** The description in a backup file. */
export const ArchiveInfo = strictObject(archiveFields)

export const BackupRecord = strictObject({
  id: Type.String(),
  ...archiveFields,
  md5: Type.String({ description: 'Checksum of the file as it is downloaded.' }),
  size: Type.Integer({ 'x-unit': 'bytes', description: 'Bytes.' }),
  fast_restore_allowed: Type.Boolean({ description: 'Whether the running version made it.' }),
})
export type BackupRecord = Static<typeof BackupRecord>

export const settings = {
  show: endpoint({
    method: 'GET',
    path: '/backup/settings',
    access: 'view',
    summary: 'Show the settings of automatic backups',
    reply: BackupSettings,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/backup/settings',
    access: 'configure',
    summary: 'Change the settings of automatic backups',
    description: 'Any subset of the parts and of their fields; what is not sent stays.',
    body: BackupSettingsPatch,
  }),
}

const path = '/backup/backups'

export const backups = {
  create: endpoint({
    method: 'POST',
    path,
    access: 'configure',
    effect: 'action',
    errors: ['conflict'],
    summary: 'Make a backup of the configuration',
    description: 'It is stored on the gateway. The file is sealed with the recovery key.',
    body: strictObject({ comment: BackupComment }),
    reply: CreatedString,
  }),
  list: endpoint({
    method: 'GET',
    path,
    access: 'view',
    summary: 'List the backups, newest first',
    reply: Type.Array(BackupRecord),
  }),
  download: endpoint({
    method: 'GET',
    path: '/backup/download/:backup_id',
    access: 'configure',
    summary: 'Download a backup',
    reply: Type.String(),
    alsoReplies: ['application/octet-stream'],
  }),
  upload: endpoint({
    method: 'POST',
    path: '/backup/upload',
    access: 'configure',
    effect: 'action',
    errors: ['conflict'],
    summary: 'Upload a backup',
    description:
      'A form with the file in backup_file. A backup of another gateway needs its recovery key first: POST /backup/recovery_key.',
    rawBodyType: 'multipart/form-data',
    formField: 'backup_file',
    bodyLimitBytes: 256 * 1024 * 1024,
    streamsBody: true,
    reply: CreatedString,
  }),
  apply: endpoint({
    method: 'POST',
    path: `${path}/:backup_id/apply`,
    access: 'configure',
    needsFreshSignIn: true,
    summary: 'Restore a backup of this or the previous major version',
    description: 'One revision that can be reverted like any other. The licence stays as it is.',
  }),
  applyFast: endpoint({
    method: 'POST',
    path: `${path}/:backup_id/apply/fast`,
    access: 'configure',
    needsFreshSignIn: true,
    summary: 'Restore a backup of the running version',
    description: 'One revision that can be reverted like any other. The licence stays as it is.',
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:backup_id`,
    access: 'configure',
    effect: 'action',
    summary: 'Delete a backup',
  }),
}

const RecoveryKeyText = Type.String({
  'x-secret': true,
  minLength: 71,
  maxLength: 71,
  pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{8}){7}$',
  description: 'Eight groups of eight hexadecimal digits.',
  'x-fault': 'Must be eight groups of eight hexadecimal digits (0 to 9, a to f), joined by hyphens.',
})

export const recoveryKey = {
  show: endpoint({
    method: 'GET',
    path: '/backup/recovery_key',
    access: 'configure',
    needsFreshSignIn: true,
    summary: 'Show the key that opens the backups of this gateway',
    description: 'Keep it in another place: without it no backup can be restored on another machine.',
    reply: strictObject({ id: Type.String({ description: 'Identifies the key.' }), key: RecoveryKeyText }),
  }),
  add: endpoint({
    method: 'POST',
    path: '/backup/recovery_key',
    access: 'configure',
    effect: 'action',
    summary: 'Add the recovery key of another gateway to open its backups here',
    body: strictObject({ key: RecoveryKeyText }),
    reply: CreatedString,
  }),
}

export const backupStatus = endpoint({
  method: 'GET',
  path: '/backup/status',
  access: 'view',
  summary: 'Show the status of automatic backups',
  reply: Type.Array(StatusItem),
})

export const previousVersion = {
  show: endpoint({
    method: 'GET',
    path: '/system_management/change_sys_root',
    access: 'view',
    summary: 'Show the previous version',
    reply: strictObject({ previous_version: nullable(SystemVersion) }),
  }),
  restore: endpoint({
    method: 'POST',
    path: '/system_management/change_sys_root',
    access: 'configure',
    errors: ['conflict'],
    needsFreshSignIn: true,
    effect: 'action',
    summary: 'Return to the previous version',
    body: strictObject({ version: SystemVersion }),
  }),
}
