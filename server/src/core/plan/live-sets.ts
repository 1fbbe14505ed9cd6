// The sets of the firewall whose elements are not configuration: which hosts are authorized now, and where the users are that
// rules name. The compiler declares them, the sessions of users fill them, and applyd changes and reads them. Data only.

/** `host`: an address; `pair`: address and MAC; `seen`: address, MAC and incoming device. */
export type LiveKey = 'host' | 'pair' | 'seen'

/** All are of the first table, and exist while the policy has an authorization stage. */
export const liveSets = {
  /** Sessions of an address, whatever card it is behind. Elements expire without traffic. */
  auth_hosts: 'host',
  /** Sessions that are bound to a card. Elements expire without traffic. */
  auth_pairs: 'pair',
  /** Hosts of networks that are authorized as a whole, which sent something lately. */
  auth_net_hosts: 'host',
  /** Authorized hosts that are kept out, because their user has too many sessions. */
  auth_suspended: 'host',
  /** What the kernel let through by an authorization rule, and gatewayd does not know yet. */
  auth_new: 'seen',
  /** Hosts that nothing authorizes, for device discovery. */
  auth_unknown: 'seen',
} as const satisfies Readonly<Record<string, LiveKey>>

/** Of the limits of connections, by what they are for; always there, of key `host`. */
export const limitSets = {
  /** Hosts that were refused a connection in the last minute, because they have as many as they may. */
  hosts: 'limit_hosts',
  /** Has the element 0.0.0.0 while nothing new is forwarded, because the table of connections is nearly full. */
  full: 'limit_full',
} as const

export const isLimitSet = (set: string): boolean => Object.values<string>(limitSets).includes(set)

export type LiveSetName = keyof typeof liveSets

/** The set of the addresses that a user or a group has by sessions; of key `host`. `id` is `user.id.<n>` or `group.id.<n>`. */
export const memberSetOf = (id: string): string => `u_${id.replaceAll('.', '_')}`

export const isMemberSet = (set: string): boolean => /^u_(?:user|group)_id_\d+$/.test(set)

/** The user whose set this is; null for that of a group, and any other. */
export const userOfSet = (set: string): string | null => {
  const number = /^u_user_id_(\d+)$/.exec(set)?.[1]
  return number === undefined ? null : `user.id.${number}`
}
