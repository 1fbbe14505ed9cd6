// Making backups, by hand and every day, and reading them. The archives themselves are kept by areas/backup/runs.

import { setImmediate } from 'node:timers/promises'
import type { Services } from '../../core/area/handle.ts'
import { GatewayError, isUnavailable } from '../../core/contract/error.ts'
import { strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { licenceService } from '../licence/service.ts'
import { settings, uploadKinds } from './config.ts'
import { type BackupContent, bared, keptSlots, versionsOf } from './content.ts'
import { runUploads } from './jobs-uploads.ts'
import { backupsService } from './service.ts'

type Entries = ReadonlyMap<string, Buffer>

/** The fixed comment of automatic backups (docs/behaviour/backup.md 1). */
export const automaticComment = 'Automatic backup copy'

const generalFile = 'backup.json'
const secretsFile = 'secrets.json'
const slotFile = /^slots\/([a-z0-9_.-]+)\.json$/

/** `requireAuthority` is asked when everything is gathered, before the backup is stored. */
export async function makeBackup(services: Services, comment: string, requireAuthority: () => void): Promise<string> {
  const { id } = await services.of(backupsService).create(comment, async () => {
    const entries = await gather(services)
    requireAuthority()
    return entries
  })
  return id
}

/** The configuration of one moment, whatever changes while it is written. */
async function gather(services: Services): Promise<Entries> {
  const { engine, vault } = services
  const installation = services.of(licenceService).installationId
  const { config, sequences } = engine
  const secrets: Record<string, string> = {}
  const versions = versionsOf(keptSlots(engine.slots))
  const entries = new Map([[generalFile, Buffer.from(JSON.stringify({ installation, sequences, versions }))]])
  for (const slot of keptSlots(engine.slots)) {
    const pieces: string[] = []
    for (const part of partsOf(config[slot.key])) {
      pieces.push(JSON.stringify(bared(slot, part, vault, secrets)))
      await setImmediate()
    }
    const text = slot.kind === 'single' ? pieces.join('') : `[${pieces.map(withoutBrackets).join(',')}]`
    entries.set(`slots/${slot.key}.json`, Buffer.from(text))
  }
  return entries.set(secretsFile, Buffer.from(JSON.stringify(secrets)))
}

const itemsAtOnce = 500

/** Long lists in parts, so that other requests are answered in between. */
function* partsOf(value: unknown): Generator<unknown> {
  if (!Array.isArray(value)) yield value
  else for (let at = 0; at < value.length; at += itemsAtOnce) yield value.slice(at, at + itemsAtOnce)
}

const withoutBrackets = (list: string): string => list.slice(1, -1)

const General = strictObject({
  installation: Type.String({ maxLength: 200 }),
  sequences: Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 2 ** 40 })),
  // Backups of release 0.1.0 do not have it.
  versions: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 1_000 }))),
})
const Secrets = Type.Record(Type.String(), Type.String())

/** The content of the entries; refused unless each entry belongs in a backup. */
export function readContent(entries: Entries, faultsOf: Services['faultsOf']): BackupContent {
  const slots: Record<string, unknown> = {}
  for (const [name, bytes] of entries) {
    const key = slotFile.exec(name)?.[1]
    if (key !== undefined) slots[key] = parse(bytes)
    else if (name !== generalFile && name !== secretsFile) throw unreadable()
  }
  const [general, secrets] = [generalFile, secretsFile].map((name) => parse(entries.get(name)))
  if (faultsOf(General, general).length > 0 || faultsOf(Secrets, secrets).length > 0) throw unreadable()
  return {
    versions: {},
    ...(general as Pick<BackupContent, 'installation' | 'sequences'> & Partial<BackupContent>),
    slots,
    secrets: secrets as BackupContent['secrets'],
  }
}

function parse(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(bytes?.toString('utf8') ?? '')
  } catch {
    throw unreadable()
  }
}

const unreadable = (): GatewayError =>
  new GatewayError('invalid', say`The content of the backup is damaged and cannot be read.`)

const rotationDays = { weekly: 7, monthly: 31 } as const

/** In the time zone of the gateway. */
const dayOf = (time: Date): string => `${time.getFullYear()}-${time.getMonth()}-${time.getDate()}`

/** Makes and rotates the automatic backup in its hour unless today has one already, then uploads what is due. */
export async function runDaily(services: Services): Promise<boolean> {
  const now = services.clock.now()
  if (now.getHours() !== read(services.engine.config, settings).common.hour) return false
  const isDone = services
    .of(backupsService)
    .list()
    .some(({ is_automatic, kept_since }) => is_automatic && dayOf(new Date(kept_since * 1000)) === dayOf(now))
  if (!isDone) await makeAutomatic(services)
  await runUploads(services)
  return !isDone
}

async function makeAutomatic(services: Services): Promise<void> {
  const stored = read(services.engine.config, settings)
  const uploads = uploadKinds.filter((kind) => stored[kind].enabled)
  const create = () =>
    services.of(backupsService).create(automaticComment, () => gather(services), { isAutomatic: true, uploads })
  const rotate = () => services.of(backupsService).rotate(rotationDays[stored.common.rotate])
  await create().catch(async (error: unknown) => {
    if (!isUnavailable(error)) throw error
    // Those that are due to go may be what fills the disk.
    await rotate()
    await create()
  })
  await rotate()
  services.of(backupsService).noteAutomatic(null)
  services.audit.noteOwn('automatic backup', 'ok', 'The automatic backup was made.')
}

const lookMilliseconds = 60_000

/**
 * Checks every minute whether a backup is due; after a failure it tries again within the hour. When the settings change,
 * failed uploads are tried again at once.
 */
export function startDailyBackup(services: Services, onFault: (error: unknown) => void): { stop(): void } {
  const { engine } = services
  const backups = services.of(backupsService)
  let known = read(engine.config, settings)
  let isBusy = false
  let isWanted = false
  const look = async (isUrgent: boolean): Promise<void> => {
    isWanted ||= isBusy && isUrgent
    if (isBusy) return
    isBusy = true
    try {
      await runDaily(services)
      if (isUrgent) await runUploads(services, true)
    } catch (error) {
      backups.noteAutomatic((error as Error).message)
      onFault(error)
    }
    isBusy = false
    if (isWanted) {
      isWanted = false
      await look(true)
    }
  }
  const timer = setInterval(() => void look(false), lookMilliseconds)
  timer.unref()
  engine.onChanged(() => {
    const isSame = read(engine.config, settings) === known
    known = read(engine.config, settings)
    if (!isSame) void look(true)
  })
  return { stop: () => clearInterval(timer) }
}
