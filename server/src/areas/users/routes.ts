// Endpoints of users and groups.

import { handle, type Route, type Services } from '../../http/handle.ts'
import { perItem, perValue } from '../../http/routes.ts'
import { read } from '../../model/slots.ts'
import { fixedGroups, groupId, groups, passwordPlace, type StoredUser, users } from './config.ts'
import * as contract from './contract.ts'
import {
  addGroup,
  addUser,
  changePassword,
  refuseForeignPassword,
  removeGroup,
  removeUser,
  requireUser,
  type SealHash,
  updateGroup,
  updateUser,
} from './edits.ts'

const shownUsers = perItem(({ password_hash: _secret, ...rest }: StoredUser): contract.User => rest)

const shownGroups = perValue((stored: readonly contract.Group[]): contract.Group[] => [...fixedGroups, ...stored])

let lastHash: Promise<unknown> = Promise.resolve()

/** One at a time: an import of many users must neither be refused nor keep administrators from signing in. */
function sealedHash({ passwords, vault }: Services, password: string): Promise<SealHash> {
  const hash = lastHash.then(() => passwords.hash(password))
  lastHash = hash.catch(() => undefined)
  return hash.then((text) => (id) => vault.seal(text, passwordPlace(id)))
}

const userRoutes: readonly Route[] = [
  handle(contract.users.list, ({ config }) => shownUsers(read(config, users)), { slot: users }),
  handle(
    contract.users.create,
    async ({ body, change, services }) => {
      const seal = await sealedHash(services, body.psw)
      return change((config, tools) => {
        const id = tools.nextId(users)
        return [addUser(config, id, body, seal), { id }] as const
      })
    },
    { slot: users },
  ),
  handle(
    contract.users.update,
    ({ params, body, change }) => change((config) => updateUser(config, params.user_id ?? '', body)),
    { slot: users },
  ),
  handle(
    contract.users.remove,
    ({ params, change, services }) =>
      change((config) => removeUser(config, params.user_id ?? '', (id) => services.referencesTo(config, id))),
    { slot: users },
  ),
  handle(
    contract.users.changePassword,
    async ({ params, body, config, change, services }) => {
      refuseForeignPassword(requireUser(config, params.user_id ?? ''))
      const seal = await sealedHash(services, body.password)
      return change((current) => changePassword(current, params.user_id ?? '', seal))
    },
    { slot: users },
  ),
]

const groupRoutes: readonly Route[] = [
  handle(contract.groups.list, ({ config }) => shownGroups(read(config, groups)), { slot: groups }),
  handle(
    contract.groups.create,
    ({ body, change }) =>
      change((config, tools) => {
        // The first numbers belong to the groups that are always there.
        const id = fixedGroups.length + tools.nextId(groups)
        return [addGroup(config, groupId(id), body), { id }] as const
      }),
    { slot: groups },
  ),
  handle(
    contract.groups.update,
    ({ params, body, change }) => change((config) => updateGroup(config, params.group_id ?? '', body)),
    { slot: groups },
  ),
  handle(
    contract.groups.remove,
    ({ params, change, services }) =>
      change((config) => removeGroup(config, params.group_id ?? '', (id) => services.referencesTo(config, id))),
    { slot: groups },
  ),
]

export const routes: readonly Route[] = [...userRoutes, ...groupRoutes]
