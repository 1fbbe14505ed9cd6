// What the reader of firewall hits has to know beyond the packets, as it is sent to its thread.

export interface Person {
  readonly login: string
  readonly name: string
  readonly group: string
}

/** Countries by IPv4 range, in rising order and in memory that threads can share. */
export interface CountrySpans {
  readonly lows: Uint32Array
  readonly highs: Uint32Array
  /** Indexes of `codes`. */
  readonly which: Uint16Array
  readonly codes: readonly string[]
}

export interface CountryTable extends CountrySpans {
  /** As many as codes. */
  readonly names: readonly string[]
}

export type Span = readonly [low: number, high: number]

export interface DnatTarget {
  /** Null: the address stays. */
  readonly addresses: Span | null
  /** Null: the port stays. */
  readonly ports: Span | null
}

export interface Translations {
  /** By the id of the rule. */
  readonly dnat: ReadonlyMap<string, DnatTarget>
  /** Null: the address of the device that the packet leaves by. */
  readonly snat: ReadonlyMap<string, Span | null>
  /** The first address of each device. */
  readonly deviceAddresses: ReadonlyMap<string, string>
}

/** What changed; what is absent stays. */
export interface HitNews {
  /** Unix microseconds at which it became true. */
  readonly time: number
  /** The zone of a device, or the name of its interface. */
  readonly zones?: ReadonlyMap<string, string>
  /** Who is at an address or in a network now; null: no one any more. */
  readonly people?: readonly (readonly [place: string, person: Person | null])[]
  /** Null: no country is known. */
  readonly countries?: CountryTable | null
  readonly translations?: Translations
}
