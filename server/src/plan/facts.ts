// What render may know about the machine beside the configuration. Read by system/ and runtime/, passed as data.

export interface InterfaceFact {
  readonly name: string
  readonly mac: string
  readonly addresses: readonly string[]
  readonly isUp: boolean
  /** The kernel's number of the device. */
  readonly index: number
}

/** What a DHCP server gave to one of our devices. */
export interface LeaseFact {
  readonly device: string
  readonly address: string
  readonly gateway: string | null
  readonly dns: readonly string[]
}

/**
 * IPv4 addresses and networks behind objects whose content is not configuration: resolved domains, countries, users,
 * groups, device profiles. By object id; another value of the map means that something changed.
 */
export type AddressBook = ReadonlyMap<string, readonly string[]>

export interface Facts {
  readonly interfaces: readonly InterfaceFact[]
  /** Interfaces that hold a default route: the way to the internet. */
  readonly externalInterfaces: readonly string[]
  readonly leases: readonly LeaseFact[]
  readonly addressBook: AddressBook
  /** IANA name of the gateway's own time zone. */
  readonly timeZone: string
  /** Schedules are rendered from this UTC day on, 40 days ahead. Unix seconds of its start. */
  readonly scheduleDay: number
}

export const noFacts: Facts = {
  interfaces: [],
  externalInterfaces: [],
  leases: [],
  addressBook: new Map(),
  timeZone: 'UTC',
  scheduleDay: 0,
}
