// What render may know about the machine beside the configuration. Read by gatewayd and by areas/*/runs, passed as data.

export interface InterfaceFact {
  readonly name: string
  readonly mac: string
  readonly addresses: readonly string[]
  readonly isUp: boolean
  /** The kernel's number of the device. */
  readonly index: number
  /** A card of the machine by itself: neither made of others nor a part of one. Absent for all others. */
  readonly isPlainCard?: true
}

/** What a DHCP server gave to one of our devices. */
export interface LeaseFact {
  readonly device: string
  readonly address: string
  readonly gateway: string | null
  readonly dns: readonly string[]
}

/** A lease that our own DHCP server has given out. Nothing is rendered from it. */
export interface GivenLease {
  readonly address: number
  readonly mac: string
  /** What the client calls itself; may be empty. */
  readonly hostname: string
  /** Unix seconds. */
  readonly expiresAt: number
}

/** An address of a local network that a host uses without a lease of ours. */
export interface UsedAddress {
  readonly address: number
  readonly mac: string
}

/**
 * IPv4 addresses and networks behind objects whose content is not in objects: resolved domains, countries, device profiles;
 * users and groups as their authorization rules say. By object id; another value of the map means that something changed.
 */
export type AddressBook = ReadonlyMap<string, readonly string[]>

/** A connection as the kernel tracks it; rates are those of the last moments. */
export interface TrackedSession {
  /** ULID. */
  readonly id: string
  readonly protocol: string
  readonly source: string
  /** Null where the protocol has no ports. */
  readonly sourcePort: number | null
  /** Who answers: where destinations are translated, the one behind the translation. */
  readonly destination: string
  readonly destinationPort: number | null
  /** What the source took for the destination. */
  readonly calledAs: string
  /** What the destination takes for the source. */
  readonly seenAs: string
  /** Since it began, or since it was first seen where the kernel does not say. */
  readonly seconds: number
  /** Per second, towards the source and away from it. */
  readonly bytesIn: number
  readonly bytesOut: number
  readonly packetsIn: number
  readonly packetsOut: number
}

/** A tracked connection of IPv4 by its ends, for the question whether a policy lets it through. */
export interface TrackedEnds {
  readonly protocol: 'tcp' | 'udp' | 'icmp' | 'gre' | 'esp' | 'ah'
  readonly source: string
  /** Null where the protocol has no ports. */
  readonly sourcePort: number | null
  /** As the source called it. */
  readonly destination: string
  readonly destinationPort: number | null
  /** Who answers: behind the translation of destinations. */
  readonly answeredBy: string
  readonly answeredPort: number | null
}

/** What is known about the traffic now. */
export interface TrafficReading {
  readonly sessions: readonly TrackedSession[]
  /** More are tracked than are listed. */
  readonly isCut: boolean
  /** Without it there are no rates. */
  readonly isCounting: boolean
  /** Why nothing is known; null when something is. */
  readonly limitation: string | null
}

/** What the flow exporter says of itself, since its start. */
export interface FlowReport {
  /** Unix seconds. */
  readonly at: number
  readonly flows: number
  readonly packets: number
  /** Packets that could not be sent, or that the collector refused. */
  readonly failedPackets: number
  /** Connections whose end the kernel could not report in time. */
  readonly lostConnections: number
  /** Connections that are partly reported. */
  readonly open: number
  /** Of the last packet that failed, for example ECONNREFUSED; empty when the last one was sent. */
  readonly fault: string
}

/** What a connection belongs to, as the traffic classifier found: names of nDPI. */
export interface ClassifiedConnection {
  /** `SSH`, or the protocol and the application in it: `TLS.YouTube`. */
  readonly name: string
  /** The name of the server that the client asked for; empty when there is none. */
  readonly server: string
}

/** What the traffic classifier says of itself, since its start. */
export interface ClassifierReport {
  /** Unix milliseconds. */
  readonly at: number
  readonly packets: number
  readonly recognised: number
  /** Bundles of packets that came faster than they could be taken. */
  readonly lost: number
  /** Why nothing was found the last time; empty when all is well. */
  readonly fault: string
}

/**
 * Of the web proxy while it should run. `full`: it runs, and has no room for another connection or more to do than it can.
 * `starting`: it answered a moment ago, has ended, and is being started again.
 */
export type WebProxyState = 'up' | 'down' | 'full' | 'starting'

/** What is known of inspection beside the configuration. Kept by areas/inspection/runs, over restarts. */
export interface InspectionFacts {
  /** Numbers of channels by their key (areas/firewall/channels.ts), so that one never changes while connections have it. */
  readonly numbers: Readonly<Record<string, number>>
  /** The rules that the engine should work with, made by gatewayd: their SHA-256 names the file. Null before the first. */
  readonly rules: { readonly sha256: string; readonly generation: string } | null
  /** Channels for which the engine was seen to inspect with their present rules, by number. */
  readonly ready: readonly number[]
}

export interface Facts {
  readonly interfaces: readonly InterfaceFact[]
  /** Interfaces that hold a default route: the way to the internet. */
  readonly externalInterfaces: readonly string[]
  /** Those that hold one of IPv6: often the same. */
  readonly externalIpv6Interfaces: readonly string[]
  readonly leases: readonly LeaseFact[]
  readonly addressBook: AddressBook
  /** Where client agents connect while they are enabled; null when no other machine can reach it. */
  readonly agentPort: number | null
  /** IANA name of the gateway's own time zone. */
  readonly timeZone: string
  /** Schedules are rendered from this UTC day on, 40 days ahead. Unix seconds of its start. */
  readonly scheduleDay: number
  /** Whether the web proxy answers, while it should; absent where it is not watched. */
  readonly webProxy?: WebProxyState
  /** Of the whole machine; absent where it is not known. */
  readonly memoryBytes?: number
  /** In rising order; absent where the network is not looked at. */
  readonly usedAddresses?: readonly UsedAddress[]
  /** Absent where nothing was ever inspected. */
  readonly inspection?: InspectionFacts
}

export const noFacts: Facts = {
  interfaces: [],
  externalInterfaces: [],
  externalIpv6Interfaces: [],
  leases: [],
  addressBook: new Map(),
  agentPort: null,
  timeZone: 'UTC',
  scheduleDay: 0,
}
