// Endpoints of local administrators.

import { randomUUID } from 'node:crypto'
import { invalid } from '../../contract/error.ts'
import { handle, type Route, type Services } from '../../http/handle.ts'
import { perValue, tableReply } from '../../http/routes.ts'
import { requireItem } from '../../model/list-edits.ts'
import { read } from '../../model/slots.ts'
import { administrators, passwordPlace, type StoredAdministrator } from './config.ts'
import { type Administrator, administratorColumns, localAdministrators } from './contract.ts'
import { addAdministrator, type NewPassword, removeAdministrator, updateAdministrator } from './edits.ts'

const shown = perValue((stored: readonly StoredAdministrator[]): Administrator[] =>
  stored.map(({ password_hash: _secret, ...rest }) => rest),
)

/** Refuses what is easy to guess, then hashes and seals; the clear text goes no further. */
async function newPassword(services: Services, id: string, login: string, password: string): Promise<NewPassword> {
  const weakness = services.weaknessOf(password, [login, services.brand, services.hostName])
  if (weakness !== null) throw invalid('password', weakness)
  return {
    hash: services.vault.seal(await services.passwords.hash(password), passwordPlace(id)),
    timestamp: Math.floor(services.clock.now().getTime() / 1000),
  }
}

export const routes: readonly Route[] = [
  handle(
    localAdministrators.list,
    ({ config, query }) => tableReply(query, administratorColumns, shown(read(config, administrators))),
    { slot: administrators },
  ),
  handle(
    localAdministrators.create,
    async ({ body, change, services }) => {
      const id = randomUUID()
      const password = await newPassword(services, id, body.login, body.password)
      await change((config) => addAdministrator(config, id, body, password))
      return { id }
    },
    { slot: administrators },
  ),
  handle(
    localAdministrators.update,
    async ({ params, body, config, change, services }) => {
      const { id, login } = requireItem(config, administrators, params.admin_id ?? '', 'local administrator')
      const { password } = body
      const sealed = password ? await newPassword(services, id, body.login ?? login, password) : null
      return change((current) => updateAdministrator(current, id, body, sealed))
    },
    { slot: administrators },
  ),
  handle(
    localAdministrators.remove,
    ({ params, change }) => change((config) => removeAdministrator(config, params.admin_id ?? '')),
    { slot: administrators },
  ),
]
