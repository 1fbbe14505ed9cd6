// Changes of the settings of automatic backups. The vault seals passwords before they get here.

import { type Problem, refuse } from '../../contract/error.ts'
import { secretMask } from '../../contract/fields.ts'
import type { Sealed } from '../../model/secret.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { type StoredSettings, type StoredUpload, settings, type UploadKind, uploadKinds } from './config.ts'
import type { BackupSettingsPatch, UploadPatch } from './contract.ts'
import { shareOf } from './targets.ts'

export type SealPassword = (password: string, kind: UploadKind) => Sealed

export function updateSettings(config: Config, patch: BackupSettingsPatch, seal: SealPassword): Config {
  const current = read(config, settings)
  const upload = (kind: UploadKind): StoredUpload =>
    updateUpload(current[kind], patch[kind] ?? {}, (p) => seal(p, kind))
  const next = { common: { ...current.common, ...patch.common }, ftp: upload('ftp'), cifs: upload('cifs') }
  refuse(settingsProblems(next))
  return write(config, settings, next)
}

function updateUpload(current: StoredUpload, patch: UploadPatch, seal: (password: string) => Sealed): StoredUpload {
  const { password, ...rest } = patch
  const kept = { ...current, ...rest }
  if (password === undefined || password === null || password === secretMask) return kept
  return { ...kept, password: password === '' ? null : seal(password) }
}

/** An upload that is on must say where to and as whom (backup.md, open point 1). */
export const settingsProblems = (stored: StoredSettings): Problem[] =>
  uploadKinds.flatMap((kind) => {
    const upload = stored[kind]
    if (!upload.enabled) return []
    const missing = (['server', 'login', 'remote_dir'] as const).filter((field) => upload[field] === '')
    const empty = [...missing, ...(upload.password === null ? ['password'] : [])].map((field) => ({
      field: `${kind}.${field}`,
      message: 'Must not be empty while the upload is on.',
    }))
    return [...empty, ...(kind === 'cifs' ? shareProblems(upload) : [])]
  })

/** What Windows allows in no name; a percent sign in the login is where smbclient sees a password begin. */
function shareProblems({ login, remote_dir }: StoredUpload): Problem[] {
  const isNamed = remote_dir === '' || shareOf(remote_dir).share !== ''
  return [
    ...(login.includes('%') ? [{ field: 'cifs.login', message: 'Must not contain a percent sign.' }] : []),
    ...(isNamed ? [] : [{ field: 'cifs.remote_dir', message: 'Must begin with the name of the share.' }]),
    ...(/[:"*?<>|]/.test(remote_dir)
      ? [{ field: 'cifs.remote_dir', message: 'Must not contain any of : " * ? < > | in it.' }]
      : []),
  ]
}
