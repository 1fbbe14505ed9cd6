// Endpoints of users and groups.

import { GatewayError } from '../../contract/error.ts'
import { type Context, handle, type Route } from '../../http/handle.ts'
import { listRoutes } from '../../http/routes.ts'
import { updateItem } from '../../model/list-edits.ts'
import { requireIn } from '../../model/lists.ts'
import type { ItemId } from '../../model/slots.ts'
import { findUser, passwordPlace, type StoredUser, users } from './config.ts'
import * as contract from './contract.ts'
import { groupList, userList } from './lists.ts'

/** An import of many users must neither be refused nor hold up other administrators. */
const hashOf = (
  { services, owner, requireAuthority }: Pick<Context, 'services' | 'owner' | 'requireAuthority'>,
  password: string,
): Promise<string> => services.passwords.hashInTurn(owner, password, requireAuthority)

/** Only users of the gateway have a password here. */
async function prepare(context: Context, body: Partial<contract.NewUser & contract.UserFields>) {
  const { services } = context
  const { psw, ...fields } = body
  const hash = psw === undefined ? null : await hashOf(context, psw)
  return (id: ItemId, _: unknown, config: Context['config']): object => {
    if (hash !== null) return { ...fields, password_hash: services.vault.seal(hash, passwordPlace(String(id))) }
    const kept = fields.domain_type === 'local' ? findUser(config, String(id))?.password_hash : null
    return { ...fields, password_hash: kept ?? null }
  }
}

function refuseForeignPassword({ name, domain_type }: StoredUser): void {
  if (domain_type === 'local') return
  const message = `The password of the user "${name}" is kept where the user comes from and cannot be changed here.`
  throw new GatewayError('conflict', message, { problems: [{ field: 'password', message }] })
}

export const routes: readonly Route[] = [
  ...listRoutes(contract.users, userList, { prepare }),
  handle(
    contract.users.changePassword,
    async (context) => {
      const { params, body, config, change, services } = context
      refuseForeignPassword(requireIn(config, userList, params.user_id))
      const hash = await hashOf(context, body.password)
      const id = await change((now) => {
        const user = requireIn(now, userList, params.user_id)
        refuseForeignPassword(user)
        const password_hash = services.vault.seal(hash, passwordPlace(user.id))
        return [updateItem(now, users, { ...user, password_hash }), user.id] as const
      })
      // Guesses of the old password do not count against the new one.
      services.portal.guard.reopenAccount(id)
    },
    { slot: users },
  ),
  ...listRoutes(contract.groups, groupList),
]
