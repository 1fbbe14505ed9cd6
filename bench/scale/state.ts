// A state folder as a large site has it: 50,000 users, one URL category of 20,000 entries, 10,000 mail rules of each kind.
// Written through the engine, because asking for it user by user would spend a quarter of an hour on password hashes.

import { randomUUID } from 'node:crypto'
import { start, userCategories } from '../../server/src/areas/content-filter/config.ts'
import { allowedRules, deniedRules, forwardingRules } from '../../server/src/areas/mail/config.ts'
import { groupId, groups, passwordPlace, rootGroupId, userId, users } from '../../server/src/areas/users/config.ts'
import { type Config, write } from '../../server/src/core/model/slots.ts'
import type { Vault } from '../../server/src/core/vault.ts'
import { changeState } from '../state.ts'

export interface Size {
  readonly users: number
  readonly urls: number
  readonly mailRules: number
}

export const fullSize: Size = { users: 50_000, urls: 20_000, mailRules: 10_000 }

const groupCount = 200
const origin = { domain_type: 'local', domain_name: '', ldap_guid: '' } as const

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** `stateDir` has been started with once, so that everything in it belongs to whom it must. */
export const fillState = (stateDir: string, size: Size): Promise<void> =>
  changeState(stateDir, (_services, vault) => (config, tools) => {
    tools.keepIds(users, size.users)
    tools.keepIds(groups, groupCount)
    tools.keepIds(userCategories, 10)
    return filled(config, vault, size)
  })

function filled(config: Config, vault: Vault, size: Size): Config {
  const edits: ((config: Config) => Config)[] = [
    (current) =>
      write(
        current,
        groups,
        numbers(groupCount).map((n) => ({
          id: groupId(n + 2),
          name: `Department ${n}`,
          parent_id: rootGroupId,
          ...origin,
        })),
      ),
    (current) =>
      write(
        current,
        users,
        numbers(size.users).map((n) => ({
          id: userId(n),
          name: `User number ${n}`,
          login: `user-${n}`,
          parent_id: groupId(3 + (n % groupCount)),
          enabled: false,
          ...origin,
          phone_number: null,
          comment: `Works in building ${n % 7}, floor ${n % 5}`,
          password_hash: vault.seal('no password fits this', passwordPlace(userId(n))),
        })),
      ),
    (current) => write(current, start, { defaults_stored: true }),
    (current) =>
      write(current, userCategories, [
        { id: 'users.id.1', name: 'Many sites', comment: '', urls: manyUrls(size.urls) },
        { id: 'users.id.2', name: 'Few sites', comment: '', urls: ['example.com'] },
      ]),
    ...[allowedRules, deniedRules].map(
      (slot) => (current: Config) =>
        write(
          current,
          slot,
          numbers(size.mailRules).map((n) => ({ id: randomUUID(), address: `host-${n}.example.com`, comment: 'Seen' })),
        ),
    ),
    (current) =>
      write(
        current,
        forwardingRules,
        numbers(size.mailRules).map((n) => ({
          id: randomUUID(),
          recipient: `user-${n}@example.com`,
          map: [`other-${n}@example.com`],
        })),
      ),
  ]
  return edits.reduce((current, edit) => edit(current), config)
}

export const manyUrls = (count: number): string[] =>
  numbers(count).map((n) => `site-${n}.example-${n % 100}.com/path/page-${n}`)
