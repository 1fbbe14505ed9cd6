// Sets of IPv4 addresses, whose elements can be changed without nft. Pure.

/** Elements that a named set gains or loses. A set that keeps intervals also takes networks and ranges. */
export interface ElementChange {
  readonly verb: 'add' | 'delete'
  readonly table: string
  readonly set: string
  readonly kind: AddressSetKind
  /** IPv4 addresses: `192.0.2.1`, `192.0.2.0/24`, `192.0.2.1-192.0.2.9`. */
  readonly elements: readonly string[]
  /** The object that a refusal is reported for. */
  readonly field: string
}

export type AddressSetKind = 'hash' | 'interval'

/** What a set must be declared as for `changeElements`; null for every other set. */
export function addressSetKind(head: string): AddressSetKind | null {
  const words = head.split(/[\s;]+/).filter((word) => word !== '')
  if (words.join(' ') === 'type ipv4_addr') return 'hash'
  return words.join(' ') === 'type ipv4_addr flags interval' ? 'interval' : null
}
