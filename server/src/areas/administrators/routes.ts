// Endpoints of local administrators.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, perValue, tableReply } from '../../core/area/routes.ts'
import { GatewayError, invalid } from '../../core/contract/error.ts'
import { removeFrom } from '../../core/model/lists.ts'
import { read } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import {
  administrators,
  findById,
  hasAdministrator,
  hasFullAdministrator,
  passwordPlace,
  type StoredAdministrator,
} from './config.ts'
import { type Administrator, type AdministratorPatch, administratorColumns, localAdministrators } from './contract.ts'
import { administratorList, storedFields } from './lists.ts'
import { lastFullAdministrator } from './verify.ts'

const shown = perValue((stored: readonly StoredAdministrator[]): Administrator[] =>
  stored.map(({ password_hash: _secret, ...rest }) => rest),
)

/** Refuses what is easy to guess, then hashes; the clear text goes no further. */
async function hashOf(context: Context, login: string, password: string): Promise<string> {
  const { services, owner, requireAuthority } = context
  const weakness = services.accounts.weaknessOf(password, [login, services.brand, services.hostName])
  if (weakness !== null) throw invalid('password', weakness)
  return services.accounts.passwords.hashInTurn(owner, password, requireAuthority)
}

async function prepare(context: Context, body: AdministratorPatch) {
  const { services, params, config } = context
  if (context.identity?.mustChangePassword) await refuseFirstPassword(context, body)
  const login = body.login ?? findById(config, params.admin_id ?? '')?.login ?? ''
  const hash = body.password ? await hashOf(context, login, body.password) : null
  const timestamp = Math.floor(services.clock.now().getTime() / 1000)
  return (id: string | number, _: unknown, current: Context['config']): object => {
    const password = hash === null ? null : { hash: services.vault.seal(hash, passwordPlace(String(id))), timestamp }
    return storedFields(current, String(id), body, password)
  }
}

/** A session with the first password changes nothing but that password, and to another one. */
async function refuseFirstPassword({ services, config, identity }: Context, body: AdministratorPatch): Promise<void> {
  const { password, ...others } = body
  if (!password || Object.keys(others).length > 0) {
    throw new GatewayError(
      'forbidden',
      say`The first password must be changed before anything else: send only "password".`,
    )
  }
  const admin = findById(config, identity?.adminId ?? '')
  const stored = admin ? services.vault.reveal(admin.password_hash, passwordPlace(admin.id)) : null
  if (await services.accounts.passwords.fits(password, stored, null)) {
    throw invalid('password', say`This is the first password. Choose another one.`)
  }
}

const { list, remove, ...others } = localAdministrators

export const routes: readonly Route[] = [
  handle(list, ({ config, query }) => tableReply(query, administratorColumns, shown(read(config, administrators))), {
    slot: administrators,
    view: (config) => shown(read(config, administrators)),
  }),
  ...listRoutes(others, administratorList, { prepare }),
  handle(
    remove,
    ({ params, change }) =>
      change((config, { referencesTo }) => {
        const next = removeFrom(config, administratorList, params.admin_id, referencesTo)
        if (!hasAdministrator(next))
          throw new GatewayError('conflict', say`The last local administrator cannot be removed.`)
        if (hasFullAdministrator(config) && !hasFullAdministrator(next))
          throw new GatewayError('conflict', lastFullAdministrator)
        return next
      }),
    { slot: administrators },
  ),
]
