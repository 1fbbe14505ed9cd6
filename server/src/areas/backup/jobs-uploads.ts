// Uploads of automatic backups to an FTP server or a share. Where a backup goes is decided when it is made; a failed upload
// is tried again, and the copy on the gateway is kept in any case.

import type { Services } from '../../core/area/handle.ts'
import type { Offered } from '../../core/area/service.ts'
import { read } from '../../core/model/slots.ts'
import { uploadToShare } from '../../engines/share-upload/request.ts'
import { targetFault } from '../../shared/net/targets.ts'
import { type SaidText, say, verbatim } from '../../shared/said.ts'
import { passwordPlace, type StoredUpload, settings, type UploadKind, uploadKinds } from './config.ts'
import { backupsService, uploadsService } from './service.ts'
import { fileName, shareOf } from './targets.ts'

type Stored = ReturnType<Offered<typeof backupsService>['find']>

/** The message is a sentence for the administrator. */
class UploadFailure extends Error {}

/** How long a failed upload waits before the next try, unless the settings change. */
const retrySeconds = 10 * 60

/** Backups that are not uploaded yet, newest first. */
export const missingUploads = (backups: Offered<typeof backupsService>, kind: UploadKind): Stored[] =>
  backups.list().filter(({ uploads }) => uploads?.[kind] !== undefined && uploads[kind].state !== 'done')

/** Uploads everything that is due; a failure ends the uploads to this server. `isUrgent`: do not wait for a retry. */
export async function runUploads(services: Services, isUrgent = false): Promise<void> {
  if (!services.of(uploadsService)) return
  for (const kind of uploadKinds) {
    const now = services.clock.now().getTime() / 1000
    for (const stored of missingUploads(services.of(backupsService), kind)) {
      if (!read(services.engine.config, settings)[kind].enabled) break
      const { at = 0 } = stored.uploads?.[kind] ?? {}
      // A clock that was set back must not delay the retry.
      const isDue = isUrgent || now - at >= retrySeconds || now < at
      if (!isDue || !(await upload(services, kind, stored))) break
    }
  }
}

/** True on success. */
async function upload(services: Services, kind: UploadKind, stored: Stored): Promise<boolean> {
  const failure = await send(services, kind, stored).then(
    () => null,
    (error: unknown) => verbatim((error as Error).message),
  )
  services
    .of(backupsService)
    .noteUpload(stored.id, kind, { state: failure === null ? 'done' : 'failed', message: failure ?? '' })
  services.audit.noteOwn(
    `${kind} upload`,
    failure === null ? 'ok' : 'failed',
    failure === null ? `The backup ${stored.id} was uploaded.` : `The backup ${stored.id} was not uploaded: ${failure}`,
  )
  return failure === null
}

async function send(services: Services, kind: UploadKind, stored: Stored): Promise<void> {
  const target = read(services.engine.config, settings)[kind]
  const address = await addressOf(services, target.server)
  const password = target.password === null ? '' : services.vault.reveal(target.password, passwordPlace(kind))
  const name = `${fileName(services.brand, stored.version, stored.timestamp)}-${stored.id.slice(0, 8)}.backup`
  const sender = kind === 'ftp' ? sendToFtp : sendToShare
  await sender(services, target, { address, password, name, stored })
}

interface Sending {
  readonly address: string
  readonly password: string
  readonly name: string
  readonly stored: Stored
}

async function addressOf(services: Services, server: string): Promise<string> {
  const found = await services.of(uploadsService)?.lookUp(server)
  if (!found || 'fault' in found) throw new UploadFailure(`The server ${server} cannot be found. ${found?.fault ?? ''}`)
  const own = services.facts().interfaces.flatMap(({ addresses }) => addresses)
  const fault = targetFault(found.address, own)
  if (fault !== null) throw new UploadFailure(fault)
  return found.address
}

async function sendToFtp(services: Services, target: StoredUpload, sending: Sending): Promise<void> {
  const { address, password, name, stored } = sending
  await services
    .of(uploadsService)
    ?.ftp(
      { address, login: target.login, password, folder: target.remote_dir },
      { name, size: stored.size, read: () => services.of(backupsService).read(stored.id) },
    )
}

async function sendToShare(services: Services, target: StoredUpload, sending: Sending): Promise<void> {
  const { address, password, name, stored } = sending
  const { server, login, remote_dir } = target
  const { share, folder } = shareOf(remote_dir)
  const request = { backup: stored.id, name, server, address, share, folder, login, password }
  const result = await uploadToShare(services.applier, request)
  if (!result.isDone) throw new UploadFailure(shareWords(result.status, share, folder))
}

const statusWords: Readonly<Record<string, SaidText>> = {
  timeout: say`The server did not answer in time.`,
  missing: say`The program smbclient is not installed on this gateway.`,
  NT_STATUS_LOGON_FAILURE: say`The server refuses the login or the password.`,
  NT_STATUS_WRONG_PASSWORD: say`The server refuses the login or the password.`,
  NT_STATUS_ACCOUNT_DISABLED: say`The account is disabled on the server.`,
  NT_STATUS_ACCOUNT_LOCKED_OUT: say`The account is locked on the server.`,
  NT_STATUS_PASSWORD_EXPIRED: say`The password has expired on the server.`,
  NT_STATUS_PASSWORD_MUST_CHANGE: say`The server requires a new password first.`,
  NT_STATUS_ACCESS_DENIED: say`The server does not allow this account to write there.`,
  NT_STATUS_MEDIA_WRITE_PROTECTED: say`The server does not allow to write there.`,
  NT_STATUS_DISK_FULL: say`The server could not write the file: its disk is full.`,
  NT_STATUS_QUOTA_EXCEEDED: say`The server could not write the file: the quota of the account is exceeded.`,
  NT_STATUS_CONNECTION_REFUSED: say`The server refuses the connection: nothing listens there.`,
  NT_STATUS_HOST_UNREACHABLE: say`There is no route to the server.`,
  NT_STATUS_NETWORK_UNREACHABLE: say`There is no route to the server.`,
  NT_STATUS_IO_TIMEOUT: say`The server did not answer in time.`,
  NT_STATUS_CONNECTION_RESET: say`The server broke off the connection.`,
  NT_STATUS_CONNECTION_DISCONNECTED: say`The server broke off the connection.`,
}

function shareWords(status: string, share: string, folder: string): SaidText {
  if (status === 'NT_STATUS_BAD_NETWORK_NAME') return say`There is no share ${share} on the server.`
  if (/^NT_STATUS_(OBJECT_(NAME|PATH)_|NO_SUCH_FILE|NOT_A_DIRECTORY)/.test(status))
    return say`The share ${share} has no folder ${folder}.`
  const known = Object.hasOwn(statusWords, status) ? statusWords[status] : undefined
  if (known !== undefined) return known
  return status === '' ? say`The server did not accept the file.` : say`The server did not accept the file (${status}).`
}
