// What the reader of firewall hits has to know beyond the packets, as it is sent to its thread.

export interface Person {
  readonly login: string
  readonly name: string
  readonly group: string
  /** `user.id.5` */
  readonly id?: string
  /** Of the session. */
  readonly session?: string
}

/** A profile, or a rule of the older application control; both texts are empty where there is none. */
export interface NamedProfile {
  readonly id: string
  readonly name: string
}

/** What is looked for in connections of a channel. */
export interface ChannelNames {
  readonly prevention: NamedProfile
  readonly applications: NamedProfile
}

/** Groups and tactics of signatures by rising sid, in memory that threads can share. */
export interface SignatureTable {
  readonly sids: Uint32Array
  /** Indexes of `words`. */
  readonly classtypes: Uint16Array
  readonly tactics: Uint16Array
  readonly words: readonly string[]
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
  /** Channels of inspection by their number. */
  readonly channels?: ReadonlyMap<number, ChannelNames>
  /** Applications by their number in the rules of the engine. */
  readonly applications?: ReadonlyMap<number, NamedProfile>
  readonly signatures?: SignatureTable
}
