// What must hold of the settings of automatic backups, whichever way they came in.

import type { Problem } from '../../core/contract/error.ts'
import { declareSettings } from '../../core/model/declarations.ts'
import { say } from '../../shared/said.ts'
import { type StoredSettings, type StoredUpload, settings, uploadKinds } from './config.ts'
import { shareOf } from './targets.ts'

export const backupSettings = declareSettings<StoredSettings>({
  slot: settings,
  noun: 'backup settings',
  problemsOf: (_config, stored) => settingsProblems(stored),
})

/** An upload that is enabled needs a server, a folder and an account (docs/behaviour/backup.md 2). */
const settingsProblems = (stored: StoredSettings): Problem[] =>
  uploadKinds.flatMap((kind) => {
    const upload = stored[kind]
    if (!upload.enabled) return []
    const missing = (['server', 'login', 'remote_dir'] as const).filter((field) => upload[field] === '')
    const empty = [...missing, ...(upload.password === null ? ['password'] : [])].map((field) => ({
      field: `${kind}.${field}`,
      message: say`Must not be empty while the upload is enabled.`,
    }))
    return [...empty, ...(kind === 'cifs' ? shareProblems(upload) : [])]
  })

/** Characters that no name on Windows can have; smbclient reads what follows a percent sign in the login as the password. */
function shareProblems({ login, remote_dir }: StoredUpload): Problem[] {
  const isNamed = remote_dir === '' || shareOf(remote_dir).share !== ''
  return [
    ...(login.includes('%') ? [{ field: 'cifs.login', message: say`Must not contain a percent sign.` }] : []),
    ...(isNamed ? [] : [{ field: 'cifs.remote_dir', message: say`Must begin with the name of the share.` }]),
    ...(/[:"*?<>|]/.test(remote_dir)
      ? [{ field: 'cifs.remote_dir', message: say`Must not contain any of : " * ? < > |` }]
      : []),
  ]
}
