// What applyd reads of the machine for gatewayd, as text: gatewayd finds in it what gets in the way of the gateway. Types only.

import type { DataPlane, UnitObservation } from './artifacts.ts'

/** A process that holds a socket. */
export interface SocketHolder {
  readonly pid: number
  readonly program: string
  /** The entry of its environment that marks our engines; empty for other programs. */
  readonly mark: string
}

/** A socket on a port of ours. */
export interface HeldSocket {
  readonly protocol: 'tcp' | 'udp'
  readonly address: string
  readonly port: number
  /** No other socket has this number while the machine runs. */
  readonly inode: string
  /** Null where it cannot be read. */
  readonly holder: SocketHolder | null
}

/** A table of another program. */
export interface ForeignListing {
  readonly family: string
  readonly name: string
  /** As `nft -j` shows it; null when it cannot be read or is too long. */
  readonly listing: string | null
}

export interface MachineTexts {
  readonly plane: Exclude<DataPlane, 'none'>
  /** The cards that the gateway sets up, or those that it could. */
  readonly devices: readonly string[]
  readonly held: readonly HeldSocket[]
  /** What `systemctl show`, `ss` and `iptables-legacy` say; empty when they were not asked, or failed. */
  readonly services: string
  readonly sockets: string
  readonly legacy: string
  readonly tables: readonly ForeignListing[]
  /** Files by path, in the order in which they count. */
  readonly files: Readonly<Record<string, string>>
}

/** The same of a machine with a gateway. */
export interface MachineReport extends MachineTexts {
  readonly stateDir: string
  /** The program's own folder. */
  readonly app: string
  readonly units: readonly UnitObservation[]
  /** Why engines have no limits of their own; null when they have them. */
  readonly missingLimits: string | null
}
