// A state folder of a site with many users: each has two cards that authorize it. Written through the engine, because asking
// for it user by user would spend minutes on password hashes.

import { randomUUID } from 'node:crypto'
import { authorizationRules, settings } from '../../server/src/areas/authorization/config.ts'
import { connections } from '../../server/src/areas/network/config.ts'
import { passwordPlace, rootGroupId, userId, users } from '../../server/src/areas/users/config.ts'
import { updateSingle } from '../../server/src/core/model/list-edits.ts'
import { write } from '../../server/src/core/model/slots.ts'
import { labCables } from '../../server/src/tools/lab/network.ts'
import { lan, wan } from '../../server/test/support/network-samples.ts'
import { benchFolder } from '../folder.ts'
import { changeState, makeState } from '../state.ts'

export const userCount = 10_000
export const cardsPerUser = 2
export const hostCount = userCount * cardsPerUser
export const userPassword = 'Quiet-Harbour-7'

export const loginOf = (user: number): string => `user-${user}`

/** As send-frames.pl has them. */
const lowOf = (host: number): number => 16 + host
export const addressOf = (host: number): string => `10.64.${lowOf(host) >> 8}.${lowOf(host) & 0xff}`
const macOf = (host: number): string =>
  `02:40:0a:40:${[lowOf(host) >> 8, lowOf(host) & 0xff].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`

const macIn = (device: string): string =>
  labCables.flat().find(({ namespace, name }) => namespace === 'gateway' && name === device)?.mac ?? ''
export const gatewayMac = macIn('lan0')

/** The network of all hosts is on the device of the client. */
const interfaces = [
  { ...lan, mac: gatewayMac, addresses: [...lan.addresses, '10.64.0.1/16'] },
  { ...wan, mac: macIn('wan0') },
]

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

/** Authorization is enforced, and no session of it ends for want of traffic while it is measured. */
export async function makeUsers(): Promise<string> {
  const stateDir = `${benchFolder()}/state`
  await makeState(stateDir, (config, tools) => {
    tools.keepIds(connections, interfaces.length)
    const enforced = { allow_internet_to_everyone: false, session_minutes: 1440 }
    return updateSingle(write(config, connections, interfaces), settings, enforced)
  })
  await changeState(stateDir, async (services, vault) => {
    // One hash for all: what is measured is not how it was made.
    const hash = await services.accounts.passwords.hash(userPassword)
    return (config, tools) => {
      tools.keepIds(users, userCount)
      const people = numbers(userCount).map((n) => ({
        id: userId(n + 1),
        name: `User number ${n + 1}`,
        login: loginOf(n + 1),
        parent_id: rootGroupId,
        enabled: false,
        domain_type: 'local' as const,
        domain_name: '',
        ldap_guid: '',
        phone_number: null,
        comment: '',
        password_hash: vault.seal(hash, passwordPlace(userId(n + 1))),
      }))
      const rules = numbers(hostCount).map((host) => ({
        id: randomUUID(),
        enabled: true,
        ip: null,
        mac: macOf(host),
        always_logged: false,
        comment: '',
        user_id: 1 + Math.floor(host / cardsPerUser),
      }))
      return write(write(config, users, people), authorizationRules, rules)
    }
  })
  return stateDir
}
