// Changes of the settings of automatic backups. The caller seals passwords.

import { secretMask } from '../../core/contract/fields.ts'
import { writeSettings } from '../../core/model/lists.ts'
import type { Sealed } from '../../core/model/secret.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type StoredUpload, settings, type UploadKind } from './config.ts'
import type { BackupSettingsPatch, UploadPatch } from './contract.ts'
import { backupSettings } from './settings.ts'

export type SealPassword = (password: string, kind: UploadKind) => Sealed

export function updateSettings(config: Config, patch: BackupSettingsPatch, seal: SealPassword): Config {
  const current = read(config, settings)
  const upload = (kind: UploadKind): StoredUpload =>
    updateUpload(current[kind], patch[kind] ?? {}, (p) => seal(p, kind))
  return writeSettings(config, backupSettings, {
    common: { ...current.common, ...patch.common },
    ftp: upload('ftp'),
    cifs: upload('cifs'),
  })
}

function updateUpload(current: StoredUpload, patch: UploadPatch, seal: (password: string) => Sealed): StoredUpload {
  const { password, ...rest } = patch
  const kept = { ...current, ...rest }
  if (password === undefined || password === null || password === secretMask) return kept
  return { ...kept, password: password === '' ? null : seal(password) }
}
