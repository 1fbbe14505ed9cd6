// Stored settings of automatic backups. Passwords of uploads are sealed; null means that none is set.

import type { Static } from 'typebox'
import { nullable, strictObject } from '../../core/contract/fields.ts'
import { Sealed } from '../../core/model/secret.ts'
import { single } from '../../core/model/slots.ts'
import { Common, Upload } from './contract.ts'

const StoredUpload = strictObject({ ...Upload.properties, password: nullable(Sealed) })
export type StoredUpload = Static<typeof StoredUpload>

const StoredSettings = strictObject({ common: Common, ftp: StoredUpload, cifs: StoredUpload })
export type StoredSettings = Static<typeof StoredSettings>

const off: StoredUpload = { enabled: false, server: '', login: '', password: null, remote_dir: '' }

export const settings = single('backup.settings', StoredSettings, {
  common: { hour: 3, rotate: 'weekly' },
  ftp: off,
  cifs: off,
})

export type UploadKind = 'ftp' | 'cifs'
export const uploadKinds: readonly UploadKind[] = ['ftp', 'cifs']

/** Where the vault binds the password of an upload to. */
export const passwordPlace = (kind: UploadKind): string => `${settings.key}//${kind}.password`
