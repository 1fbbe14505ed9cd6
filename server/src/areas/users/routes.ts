// Endpoints of users and groups.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes } from '../../core/area/routes.ts'
import { GatewayError, invalid } from '../../core/contract/error.ts'
import { updateItem } from '../../core/model/list-edits.ts'
import { requireIn } from '../../core/model/lists.ts'
import { type Config, type ItemId, read } from '../../core/model/slots.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { say } from '../../shared/said.ts'
import { portalService } from '../portal/service.ts'
import { findUser, groupPath, passwordPlace, type StoredUser, users } from './config.ts'
import * as contract from './contract.ts'
import { groupList, userList } from './lists.ts'

interface NewPassword {
  /** Where it is in the body. */
  readonly field: 'psw' | 'password'
  readonly password: string
  readonly login: string
}

/**
 * Refuses what is easy to guess, then hashes; the clear text goes no further. An import of many users must neither be refused nor
 * hold up other administrators.
 */
async function hashOf(
  { services, owner, requireAuthority }: Pick<Context, 'services' | 'owner' | 'requireAuthority'>,
  { field, password, login }: NewPassword,
): Promise<string> {
  const weakness = services.accounts.weaknessOf(password, [login, services.brand, services.hostName])
  if (weakness !== null) throw invalid(field, weakness)
  return services.accounts.passwords.hashInTurn(owner, password, requireAuthority)
}

/** Only users of the gateway have a password here. */
async function prepare(context: Context, body: Partial<contract.NewUser & contract.UserFields>) {
  const { services } = context
  const { psw, ...fields } = body
  const hash =
    psw === undefined ? null : await hashOf(context, { field: 'psw', password: psw, login: fields.login ?? '' })
  return (id: ItemId, _: unknown, config: Context['config']): object => {
    if (hash !== null) return { ...fields, password_hash: services.vault.seal(hash, passwordPlace(String(id))) }
    const kept = fields.domain_type === 'local' ? findUser(config, String(id))?.password_hash : null
    return { ...fields, password_hash: kept ?? null }
  }
}

function refuseForeignPassword({ name, domain_type }: StoredUser): void {
  if (domain_type === 'local') return
  const message = say`The password of the user "${name}" is kept where the user comes from and cannot be changed here.`
  throw new GatewayError('conflict', message, { problems: [{ field: 'password', message }] })
}

const defaultPage = 100

/** Whether a group is the wanted one or inside it; each group is looked up once. */
function createMembership(config: Config, wanted: string | undefined): (groupId: string) => boolean {
  const known = new Map<string, boolean>()
  return (groupId) => {
    if (wanted === undefined) return true
    const isInside = known.get(groupId) ?? groupPath(config, groupId).includes(wanted)
    known.set(groupId, isInside)
    return isInside
  }
}

export const routes: readonly Route[] = [
  ...listRoutes(contract.users, userList, { prepare }),
  handle(
    contract.users.changePassword,
    async (context) => {
      const { params, body, config, change, services } = context
      const known = requireIn(config, userList, params.user_id)
      refuseForeignPassword(known)
      const hash = await hashOf(context, { field: 'password', password: body.password, login: known.login })
      const id = await change((now) => {
        const user = requireIn(now, userList, params.user_id)
        refuseForeignPassword(user)
        const password_hash = services.vault.seal(hash, passwordPlace(user.id))
        return [updateItem(now, users, { ...user, password_hash }), user.id] as const
      })
      // Guesses of the old password do not count against the new one.
      services.of(portalService).guard.reopenAccount(id)
    },
    { slot: users },
  ),
  handle(contract.searchUsers, async ({ config, query }) => {
    const { search = '', group_id, limit = defaultPage, offset = 0 } = query
    const wanted = search.toLowerCase()
    const inGroup = createMembership(config, group_id)
    const slices = createSlices()
    const found: StoredUser[] = []
    for (const user of read(config, users)) {
      const texts = [user.name, user.login, user.phone_number ?? '', user.comment]
      if (inGroup(user.parent_id) && texts.some((text) => text.toLowerCase().includes(wanted))) found.push(user)
      await slices()
    }
    const page = found.slice(offset, offset + limit)
    return { total: found.length, users: page.map(({ password_hash: _, ...user }) => user) }
  }),
  ...listRoutes(contract.groups, groupList),
]
