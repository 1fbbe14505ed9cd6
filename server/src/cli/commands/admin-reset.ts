// gw admin reset: a new password for an administrator who is locked out. Works on the stored state itself, with the
// gateway stopped, through the same engine as the gateway, so the change is a revision and has an audit record.

import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Gateway } from '../../app.ts'
import { NewAdministrator } from '../../areas/administrators/contract.ts'
import { GatewayError } from '../../contract/error.ts'
import { LaunchFailure } from '../../launcher/failure.ts'
import { gatewayDir } from '../../launcher/layout.ts'
import { releaseLock, takeLock } from '../../launcher/lock.ts'
import type { Applier } from '../../plan/artifacts.ts'
import { noFacts } from '../../plan/facts.ts'
import { describeProblems } from '../client/api.ts'
import { findStateDir } from '../client/local-gateway.ts'
import { findHolder, giveToOwner } from '../client/state-files.ts'
import type { Run } from '../command.ts'
import { badUsage, codeOf, exitCodes, refused } from '../failure.ts'
import { escapeText } from '../output/text.ts'

const role = 'predefined_admin_write'
const actor = { login: 'system', address: '127.0.0.1' } as const

interface Reset {
  readonly password: string
  readonly isNew: boolean
  /** A change on probation that was reverted, because no one could have confirmed it. */
  readonly putBack: number | null
}

export const adminResetCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const login = invocation.value('login') ?? 'admin'
  await refuseBadLogin(login)
  const stateDir = findStateDir(context)
  refuseOtherAccounts(stateDir)
  const { password, isNew, putBack } = await withStoppedGateway(stateDir, () => reset(stateDir, login))
  if (putBack !== null) terminal.note(`Revision ${putBack}, which was on probation, was reverted.\n`)
  terminal.note(
    `${isNew ? 'Created' : 'Changed'} the administrator ${escapeText(login)}. The new password, shown only once:\n`,
  )
  terminal.out(`${password}\n`)
  return exitCodes.done
}

async function refuseBadLogin(login: string): Promise<void> {
  const { faultsOf } = await import('../../http/validate.ts')
  const faults = faultsOf(NewAdministrator.properties.login, login)
  if (faults.length > 0) {
    throw badUsage(`"${login}" cannot be a login: ${faults[0]?.message}`)
  }
}

const onlyOwner = (stateDir: string) => refused(`Only root and the owner of ${stateDir} may do this.`)

const writtenFiles = ['gateway.db', 'gateway.db-wal', 'gateway.db-shm', 'vault.key', 'vault.key.new']

function refuseOtherAccounts(stateDir: string): void {
  const folder = gatewayDir(stateDir)
  try {
    const uid = process.geteuid?.()
    if (uid !== 0 && lstatSync(folder).uid !== uid) throw onlyOwner(stateDir)
    lstatSync(join(folder, 'gateway.db'))
    // What a link points at could be anything, and root would write to it.
    const link = writtenFiles.find(
      (name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === false,
    )
    if (link !== undefined) throw refused(`${join(folder, link)} is not a plain file.`)
  } catch (error) {
    if (codeOf(error) === 'EACCES') throw onlyOwner(stateDir)
    if (codeOf(error) !== 'ENOENT') throw error
    throw refused(`There is no gateway in the state folder ${stateDir}.`, ['Set PORTCULLIS_STATE to use another one.'])
  }
}

/** The launcher's lock keeps it from starting during the reset; a gatewayd started by hand is found by its open database. */
async function withStoppedGateway<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  const hasRunDir = existsSync(join(stateDir, 'run'))
  try {
    if (hasRunDir) takeLock(stateDir)
  } catch (error) {
    if (error instanceof LaunchFailure) throw refused(error.message, ['Stop it first, then run this again.'])
    if (codeOf(error) === 'EACCES') throw onlyOwner(stateDir)
    throw error
  }
  try {
    const holder = findHolder(join(gatewayDir(stateDir), 'gateway.db'))
    if (holder !== null) {
      throw refused(`The gateway is running (process ${holder} has its database open).`, [
        'Stop it first, then run this again.',
      ])
    }
    return await work()
  } finally {
    if (hasRunDir) releaseLock(stateDir)
  }
}

async function reset(stateDir: string, login: string): Promise<Reset> {
  const folder = gatewayDir(stateDir)
  const { Database } = await import('../../database/database.ts')
  const { Vault } = await import('../../runtime/vault.ts')
  const { systemClock } = await import('../../runtime/clock.ts')
  const { createGateway } = await import('../../app.ts')
  const database = openDatabase(() => new Database(join(folder, 'gateway.db')))
  try {
    giveToOwner(folder)
    const gateway = createGateway({
      folder,
      hitsFile: '',
      database,
      applier: noApplier,
      vault: new Vault(join(folder, 'vault.key')),
      clock: systemClock(),
      facts: () => noFacts,
      log: () => {},
      brand: 'portcullis',
      hostName: hostname(),
      ownNames: new Set(),
      installationId: '',
      licenceKey: null,
      isTls: true,
    })
    return await change(gateway, login)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { message, lines } = describeProblems(error.message, error.problems)
    throw refused(message, lines)
  } finally {
    database.close()
    giveToOwner(folder)
  }
}

/** Damaged, or of a newer version: a message for the user, not a bug report. */
function openDatabase<T>(open: () => T): T {
  try {
    return open()
  } catch (error) {
    throw refused(`The stored state cannot be opened: ${(error as Error).message}`)
  }
}

async function change({ engine, services }: Gateway, login: string): Promise<Reset> {
  const { vault, passwords, clock, guard } = services
  const { findByLogin, passwordPlace } = await import('../../areas/administrators/config.ts')
  const { addAdministrator, updateAdministrator } = await import('../../areas/administrators/lists.ts')
  const putBack = engine.probation?.revision ?? null
  if (putBack !== null) await engine.putBack(actor, `Revision ${putBack} was reverted by gw admin reset`)
  const known = findByLogin(engine.config, login)
  const id = known?.id ?? randomUUID()
  const password = randomBytes(15).toString('base64url')
  const sealed = {
    hash: vault.seal(await passwords.hash(password), passwordPlace(id)),
    timestamp: Math.floor(clock.now().getTime() / 1000),
  }
  const added = { enabled: true, name: 'Administrator', login, role, comment: '', password: '' } as const
  await engine.change({
    edit: (config) => [
      known
        ? updateAdministrator(config, id, { enabled: true, role }, sealed)
        : addAdministrator(config, id, added, sealed),
      null,
    ],
    actor,
    reason: 'Administrator reset on the machine with gw admin reset',
  })
  guard.liftBlocks()
  engine.close()
  return { password, isNew: known === undefined, putBack }
}

/** Nothing reaches the machine from here: a revert is stored, and the gateway applies it when it starts. */
const unavailable = async (): Promise<never> => {
  throw new GatewayError('unavailable', 'The gateway is stopped.')
}
const noApplier: Applier = {
  check: unavailable,
  apply: unavailable,
  observe: unavailable,
  devices: unavailable,
  hits: unavailable,
  sessions: unavailable,
  trial: unavailable,
  checkpoint: unavailable,
  checkpoints: unavailable,
  upload: unavailable,
}
