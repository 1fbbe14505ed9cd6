// Endpoints of backups, their settings, the recovery key and the previous version.

import { type Context, handle, type Route, type Services } from '../../core/area/handle.ts'
import { rawReply } from '../../core/area/raw-reply.ts'
import type { Offered } from '../../core/area/service.ts'
import { GatewayError, invalid } from '../../core/contract/error.ts'
import { read } from '../../core/model/slots.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { say } from '../../shared/said.ts'
import { licenceService } from '../licence/service.ts'
import { passwordPlace, settings, type UploadKind } from './config.ts'
import { type BackupContent, restoredConfig, restoredValues } from './content.ts'
import * as contract from './contract.ts'
import { updateSettings } from './edits.ts'
import { readFormFile } from './form.ts'
import { makeBackup, readContent } from './jobs.ts'
import { backupsService } from './service.ts'
import { backupStatusItems } from './status.ts'
import { fileName } from './targets.ts'

type Stored = ReturnType<Offered<typeof backupsService>['find']>

/** Passwords of uploads are shown to full administrators only, with an audit record. */
function showSettings({ config, revealer }: Context<typeof contract.settings.show>): contract.BackupSettings {
  const stored = read(config, settings)
  const reveal = revealer('Passwords of the backup upload were shown.')
  const upload = (kind: UploadKind): contract.Upload => {
    const { password, ...rest } = stored[kind]
    return { ...rest, password: password === null ? '' : reveal(password, passwordPlace(kind)) }
  }
  return { common: stored.common, ftp: upload('ftp'), cifs: upload('cifs') }
}

const order = ['major', 'minor', 'build'] as const

function isSameVersion(a: contract.BackupVersion, b: contract.BackupVersion): boolean {
  const names = [...order, 'timestamp', 'vendor', 'product', 'kind', 'release_type'] as const
  return names.every((name) => a[name] === b[name])
}

function isNewer(a: contract.BackupVersion, b: contract.BackupVersion): boolean {
  const differing = order.find((name) => a[name] !== b[name])
  return differing !== undefined && a[differing] > b[differing]
}

const record = (services: Services, stored: Stored): contract.BackupRecord => ({
  id: stored.id,
  version: stored.version,
  timestamp: stored.timestamp,
  comment: stored.comment,
  md5: stored.md5,
  size: stored.size,
  fast_restore_allowed: isSameVersion(stored.version, services.of(backupsService).version),
})

/** Fast only for the same version, in full also for older ones down to the previous major (docs/behaviour/backup.md 4). */
function refuseVersion(services: Services, { version }: Stored, isFast: boolean): void {
  const running = services.of(backupsService).version
  const isAllowed = isFast
    ? isSameVersion(version, running)
    : version.product === running.product && !isNewer(version, running) && version.major >= running.major - 1
  if (isAllowed) return
  const made = `${version.major}.${version.minor}.${version.build}`
  throw new GatewayError(
    'conflict',
    isFast
      ? say`The backup was made by another version (${made}). Use the full restore instead.`
      : say`The backup was made by version ${made}. This version cannot restore it.`,
  )
}

async function openStored(services: Services, id: string): Promise<BackupContent> {
  const { entries } = await services
    .of(backupsService)
    .open(id)
    .catch((cause: unknown) => {
      throw services.of(backupsService).isRefusal(cause)
        ? new GatewayError('conflict', say`The backup ${cause.message}.`, { cause })
        : cause
    })
  return readContent(entries, services.faultsOf)
}

async function restore(
  context: Context<typeof contract.backups.apply | typeof contract.backups.applyFast>,
  isFast: boolean,
): Promise<void> {
  const { services, params, change } = context
  const stored = services.of(backupsService).find(params.backup_id)
  refuseVersion(services, stored, isFast)
  const content = await openStored(services, stored.id)
  const { slots } = services.engine
  const values = await restoredValues(content, { slots, faultsOf: services.faultsOf }, createSlices())
  await change((current, tools) => {
    for (const [key, last] of Object.entries(content.sequences)) tools.keepIds({ key }, last)
    return restoredConfig(content, values, {
      current,
      installation: services.of(licenceService).installationId,
      tools: services.vault,
    })
  })
}

/** A refusal names the form field that the file came in. */
async function upload(context: Context<typeof contract.backups.upload>): Promise<{ id: string }> {
  const { services, bodyStream } = context
  const { faultsOf } = services
  const backups = services.of(backupsService)
  try {
    const file = readFormFile(bodyStream, contract.backups.upload.formField ?? '')
    const { id, isOwn } = await backups.add(file, (info) => {
      context.requireAuthority()
      return faultsOf(contract.ArchiveInfo, info).length === 0
    })
    if (!isOwn) context.audit(say`The backup ${id} is one of another gateway.`)
    return { id }
  } catch (error) {
    throw backups.isRefusal(error) ? invalid('backup_file', say`The file ${error.message}.`) : error
  }
}

export const routes: readonly Route[] = [
  handle(contract.settings.show, showSettings, { slot: settings }),
  handle(
    contract.settings.update,
    ({ body, change, services }) =>
      change((config) =>
        updateSettings(config, body, (password, kind) => services.vault.seal(password, passwordPlace(kind))),
      ),
    { slot: settings },
  ),
  handle(contract.backups.create, async ({ body, services, requireAuthority }) => ({
    id: await makeBackup(services, body.comment, requireAuthority),
  })),
  handle(contract.backups.list, ({ services }) =>
    services
      .of(backupsService)
      .list()
      .map((stored) => record(services, stored)),
  ),
  handle(contract.backups.download, async (context) => {
    const { services, params, setHeader } = context
    const stored = services.of(backupsService).find(params.backup_id)
    const content = await services.of(backupsService).read(stored.id)
    context.audit(`The backup ${stored.id} was downloaded.`)
    const name = fileName(services.brand, stored.version, stored.timestamp)
    setHeader('content-disposition', `attachment; filename="${name}.backup"`)
    setHeader('content-length', String(stored.size))
    return rawReply('application/octet-stream', content)
  }),
  handle(contract.backups.upload, upload),
  handle(contract.backups.apply, (context) => restore(context, false), { isAlone: true }),
  handle(contract.backups.applyFast, (context) => restore(context, true), { isAlone: true }),
  handle(contract.backups.remove, ({ params, services, requireAuthority }) => {
    requireAuthority()
    return services.of(backupsService).remove(params.backup_id)
  }),
  handle(contract.recoveryKey.show, (context) => {
    context.audit('The recovery key was shown.')
    return context.services.of(backupsService).keys.show()
  }),
  handle(contract.recoveryKey.add, ({ body, services }) => ({ id: services.of(backupsService).keys.add(body.key) })),
  handle(contract.backupStatus, ({ config, services }) => backupStatusItems(config, services)),
  handle(contract.previousVersion.show, () => ({ previous_version: null })),
  handle(contract.previousVersion.restore, () => {
    throw new GatewayError('conflict', say`There is no previous version to return to.`)
  }),
]
