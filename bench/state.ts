// A state folder that already holds a large configuration, because ten thousand calls would take minutes.

import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { passwordPlace } from '../server/src/areas/administrators/config.ts'
import { addAdministrator } from '../server/src/areas/administrators/lists.ts'
import type { Services } from '../server/src/core/area/handle.ts'
import type { EditTools } from '../server/src/core/config/change.ts'
import { Database } from '../server/src/core/database/database.ts'
import type { Config } from '../server/src/core/model/slots.ts'
import { Vault } from '../server/src/core/vault.ts'
import { createGateway } from '../server/src/gatewayd/app.ts'
import { logViews } from '../server/src/gatewayd/logs/log-views.ts'
import { systemClock } from '../server/src/shared/time/clock.ts'
import { FakeApplier } from '../server/test/support/fake-applier.ts'
import { NaiveLogStore } from '../server/test/support/naive-log-store.ts'
import { labFacts } from '../server/test/support/test-gateway.ts'

export const adminPassword = 'correct horse 9'

export type Fill = (config: Config, tools: EditTools) => Config

/** With the administrator `admin` and what `fill` adds, as if it had been entered. */
export const makeState = (stateDir: string, fill: Fill): Promise<void> =>
  changeState(stateDir, async (services, vault) => {
    const id = randomUUID()
    const sealed = {
      hash: vault.seal(await services.accounts.passwords.hash(adminPassword), passwordPlace(id)),
      timestamp: 0,
    }
    const admin = {
      enabled: true,
      name: 'Administrator',
      login: 'admin',
      role: 'predefined_admin_write' as const,
      comment: '',
      password: '',
    }
    return (config, tools) => fill(addAdministrator(config, id, admin, sealed), tools)
  })

/** One change of a state folder that no gateway runs with. */
export async function changeState(
  stateDir: string,
  prepare: (services: Services, vault: Vault) => Fill | Promise<Fill>,
): Promise<void> {
  const folder = join(stateDir, 'gateway')
  mkdirSync(folder, { recursive: true })
  const database = new Database(join(folder, 'gateway.db'))
  const vault = new Vault(join(folder, 'vault.key'))
  const { engine, services, http, close } = createGateway({
    database,
    folder,
    logs: new NaiveLogStore(logViews),
    applier: new FakeApplier(),
    vault,
    clock: systemClock(),
    facts: () => labFacts,
    log: () => {},
    brand: 'portcullis',
    hostName: 'bench',
    ownNames: new Set(),
    isTls: true,
  })
  const fill = await prepare(services, vault)
  await engine.change({
    edit: (config, tools) => [fill(config, tools), null],
    actor: { login: 'bench', address: '127.0.0.1' },
    reason: 'bench',
  })
  await engine.idle()
  engine.close()
  await http.close()
  services.audit.flush()
  await close()
  database.close()
}
