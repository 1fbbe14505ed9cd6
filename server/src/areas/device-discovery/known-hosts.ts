// Which hosts the configuration knows: whose they are by authorization rules, and which discovery has made users of. Pure.

import { type Config, perState, read } from '../../core/model/slots.ts'
import { type Network, parseNetwork } from '../../shared/net/ipv4.ts'
import { authorizationRules } from '../authorization/public.ts'
import { users } from '../users/public.ts'

/** Of users that discovery made, unless an administrator gave them another one. */
export const loginPrefix = 'device-'

interface RuleIndex {
  readonly byMac: ReadonlyMap<string, number>
  readonly byIp: ReadonlyMap<string, number>
  readonly networks: readonly (Network & { readonly userId: number })[]
}

/** The first rule in the list counts. Disabled ones count too: an administrator knows the host and keeps it out. */
const ruleIndex = perState([authorizationRules], (config): RuleIndex => {
  const byMac = new Map<string, number>()
  const byIp = new Map<string, number>()
  const networks: (Network & { readonly userId: number })[] = []
  for (const { ip, mac, user_id } of read(config, authorizationRules)) {
    if (mac !== null && !byMac.has(mac)) byMac.set(mac, user_id)
    const network = ip === null ? null : parseNetwork(ip)
    if (network) networks.push({ ...network, userId: user_id })
    else if (ip !== null && !byIp.has(ip)) byIp.set(ip, user_id)
  }
  return { byMac, byIp, networks }
})

export interface HostAddresses {
  /** As a text and as a number. */
  readonly ip: string
  readonly address: number
  /** Null for a host behind a router: its frames have the MAC of the router. */
  readonly mac: string | null
}

/** The number of the user whose rule names the host; null when none does. */
export function ownerOf(config: Config, { ip, address, mac }: HostAddresses): number | null {
  const { byMac, byIp, networks } = ruleIndex(config)
  const network = networks.find(({ low, high }) => low <= address && address <= high)
  return (mac === null ? undefined : byMac.get(mac)) ?? byIp.get(ip) ?? network?.userId ?? null
}

interface UserIndex {
  readonly logins: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  /** How many discovery has made. */
  readonly devices: number
}

export const userIndex = perState([users], (config): UserIndex => {
  const all = read(config, users)
  return {
    logins: new Set(all.map(({ login }) => login)),
    names: new Set(all.map(({ name }) => name)),
    devices: all.filter(({ login }) => login.startsWith(loginPrefix)).length,
  }
})

/** The same for the same host at all times, so that it never becomes a user twice. Not like an IP address. */
export const loginOf = ({ ip, mac }: HostAddresses): string =>
  `${loginPrefix}${mac === null ? ip.replaceAll('.', '-') : mac.replaceAll(':', '-')}`

/** A host whose rule was removed and whose user was kept is known as well. */
export const isKnown = (config: Config, host: HostAddresses): boolean =>
  ownerOf(config, host) !== null || userIndex(config).logins.has(loginOf(host))
