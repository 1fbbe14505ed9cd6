// The work of gw admin reset on the stored state: a new password, stored by the engine of the gateway, so the change is a
// revision and has an audit record. Everything is loaded before the account is changed, because the service account may not
// be able to read the program; no file of the state is opened before.

import { randomBytes, randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findByLogin, passwordPlace } from '../../../areas/administrators/config.ts'
import { addAdministrator, updateAdministrator } from '../../../areas/administrators/lists.ts'
import { Passwords } from '../../../core/accounts/passwords.ts'
import { GatewayError } from '../../../core/contract/error.ts'
import { Database } from '../../../core/database/database.ts'
import type { Applier } from '../../../core/plan/artifacts.ts'
import { noFacts } from '../../../core/plan/facts.ts'
import { Vault } from '../../../core/vault.ts'
import { createConfiguration } from '../../../gatewayd/configuration.ts'
import { say } from '../../../shared/said.ts'
import { systemClock } from '../../../shared/time/clock.ts'
import { describeProblems } from '../client/api.ts'

const role = 'predefined_admin_write'
const actor = { login: 'system', address: '127.0.0.1' } as const

export interface Reset {
  readonly password: string
  readonly isNew: boolean
  /** A change on probation that was reverted, because no one could have confirmed it. */
  readonly putBack: number | null
}

/** Why it was refused, for the administrator. */
export interface ResetRefusal {
  readonly message: string
  readonly lines: readonly string[]
}

export async function resetAdministrator(folder: string, login: string): Promise<Reset | ResetRefusal> {
  const strange = openedFiles.find(
    (name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === false,
  )
  if (strange !== undefined) return { message: `${join(folder, strange)} is not a plain file.`, lines: [] }
  let database: Database
  try {
    database = new Database(join(folder, 'gateway.db'))
  } catch (error) {
    // Damaged, or of a newer version: a message for the user, not a bug report.
    return { message: `The stored state cannot be opened: ${(error as Error).message}`, lines: [] }
  }
  try {
    return await change(database, new Vault(join(folder, 'vault.key')), login)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return describeProblems(error.message, error.problems)
  } finally {
    database.close()
  }
}

/** A pipe under one of these names would be waited for. */
const openedFiles = ['gateway.db', 'gateway.db-wal', 'gateway.db-shm', 'gateway.db-journal', 'vault.key']

async function change(database: Database, vault: Vault, login: string): Promise<Reset> {
  const clock = systemClock()
  const { engine, guard } = createConfiguration({
    database,
    applier: noApplier,
    clock,
    facts: () => noFacts,
    seal: (clear, place) => vault.seal(clear, place),
  })
  const putBack = engine.probation?.revision ?? null
  if (putBack !== null) await engine.putBack(actor, `Revision ${putBack} was reverted by gw admin reset`)
  const known = findByLogin(engine.config, login)
  const id = known?.id ?? randomUUID()
  const password = randomBytes(15).toString('base64url')
  const sealed = {
    hash: vault.seal(await new Passwords().hash(password), passwordPlace(id)),
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
    reason: say`Administrator reset on the machine with gw admin reset`,
  })
  guard.liftBlocks()
  engine.close()
  return { password, isNew: known === undefined, putBack }
}

/** Nothing reaches the machine from here: a revert is stored, and the gateway applies it when it starts. */
const unavailable = async (): Promise<never> => {
  throw new GatewayError('unavailable', say`The gateway is stopped.`)
}
const noApplier: Applier = {
  check: unavailable,
  apply: unavailable,
  attempt: unavailable,
  settle: unavailable,
  undo: unavailable,
  observe: unavailable,
  devices: unavailable,
  hits: unavailable,
  sessions: unavailable,
  sessionPart: unavailable,
  changeLive: unavailable,
  readLive: unavailable,
  arrivals: unavailable,
  cut: unavailable,
  conflicts: unavailable,
  neighbours: unavailable,
  trial: unavailable,
  checkpoint: unavailable,
  checkpoints: unavailable,
  ask: unavailable,
  upgrade: unavailable,
}
