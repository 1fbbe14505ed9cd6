// What render may know about the machine beside the configuration. Read by system/, passed as data.

export interface InterfaceFact {
  readonly name: string
  readonly mac: string
  readonly addresses: readonly string[]
}

export interface Facts {
  readonly interfaces: readonly InterfaceFact[]
  /** Interfaces that hold a default route: the way to the internet. */
  readonly externalInterfaces: readonly string[]
}

export const noFacts: Facts = { interfaces: [], externalInterfaces: [] }
