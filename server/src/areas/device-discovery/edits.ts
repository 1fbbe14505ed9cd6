// Makes users of hosts: each gets a user in the group of the settings and an authorization rule. Config in, Config out.

import type { EditTools } from '../../core/config/change.ts'
import { addAllTo } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { ruleList } from '../authorization/public.ts'
import { groupId, userId, userList } from '../users/public.ts'
import { slot } from './config.ts'
import { type HostAddresses, isKnown, loginOf, userIndex } from './known-hosts.ts'

/** Users that discovery makes in all: a host that keeps making up addresses must not fill the configuration. */
export const mostDevices = 2_000

export interface FoundHost extends HostAddresses {
  /** What it called itself, as the leases have it; may be empty. */
  readonly hostname: string
  /** Maker of its card; empty when not known. */
  readonly vendor: string
  /** For its rule. */
  readonly ruleId: string
}

export function addDevices(config: Config, tools: Pick<EditTools, 'nextId'>, hosts: readonly FoundHost[]): Config {
  const { enabled, group_id } = read(config, slot)
  if (!enabled) return config
  const room = mostDevices - userIndex(config).devices
  // The configuration may have come to know a host since it was found; a card with two addresses is one host.
  const unknown = new Map(hosts.filter((host) => !isKnown(config, host)).map((host) => [loginOf(host), host]))
  const names = new Set(userIndex(config).names)
  const added = [...unknown].slice(0, Math.max(0, room)).map(([login, host]) => {
    const name = uniqueName(names, host)
    names.add(name)
    return { number: tools.nextId(userList.slot), name, login, host, comment: commentOf(host) }
  })
  const withUsers = addAllTo(
    config,
    userList,
    added.map(({ number, name, login, comment }) => [
      userId(number),
      { name, login, comment, parent_id: groupId(group_id), phone_number: null, password_hash: null },
    ]),
    'users',
  )
  return addAllTo(
    withUsers,
    ruleList,
    added.map(({ number, comment, host: { ip, mac, ruleId } }) => [
      ruleId,
      { enabled: true, ip: mac === null ? ip : null, mac, user_id: number, always_logged: false, comment },
    ]),
    'rules',
  )
}

/** What a host calls itself may be the name of someone else, and a name that is an address would mislead. */
function uniqueName(taken: ReadonlySet<string>, { hostname, ip, mac }: FoundHost): string {
  const own = hostname.slice(0, longestHostname)
  const name = own === '' || parseAddress(own) !== null ? ip : own
  const others = [`${name} (${ip})`, `${name} (${mac ?? ip})`]
  for (const candidate of [name, ...others]) if (!taken.has(candidate)) return candidate
  let number = 2
  while (taken.has(`${name} (${number})`)) number++
  return `${name} (${number})`
}

/** A name has 128 characters, with what tells it from another one. */
const longestHostname = 96

const commentOf = ({ ip, mac, vendor }: FoundHost): string => {
  const card = mac === null ? [] : [`MAC ${mac}${vendor === '' ? '' : `, ${vendor}`}`]
  return [`Found by device discovery at ${ip}`, ...card].join('; ')
}
