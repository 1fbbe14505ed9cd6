// What a look at the machine found, as data, between read-texts.ts, which reads it, and conflicts.ts, which judges.

import type { HeldSocket } from '../../core/plan/machine.ts'
import type { ForeignTable } from './foreign-rules.ts'

/** A port that one of our engines needs. `state` is whether the engine is switched on, where that is known. */
export interface WatchedPort {
  readonly protocol: HeldSocket['protocol']
  readonly port: number
  readonly title: string
  readonly state: 'running' | 'failed' | 'off' | 'unknown'
}

export interface ServiceState {
  readonly isActive: boolean
  readonly isEnabled: boolean
}

/** A socket on a port of ours, with who holds it where that can be read. */
export interface HeldPort extends Omit<HeldSocket, 'holder'> {
  readonly pid: number | null
  readonly program: string | null
  /** The service of systemd that opened it. */
  readonly unit: string | null
  /** `other`: another gateway of ours, with another state folder. */
  readonly owner: 'ours' | 'other' | 'foreign' | 'unknown'
}

export interface ProfileReading {
  /** Of the file in /etc/apparmor.d. */
  readonly name: string
  readonly program: string
  readonly title: string
  readonly isEnforced: boolean
  /** Whether the local addition to it names our state folder. */
  readonly hasAddition: boolean
}

export interface Readings {
  readonly stateDir: string
  /** The program's own folder, for the commands that are named. */
  readonly app: string
  /** False before the gateway is set up, and where it does not run. */
  readonly hasGateway: boolean
  /** The cards that the gateway sets up, or those that it could. */
  readonly devices: readonly string[]
  readonly ports: readonly WatchedPort[]
  readonly held: readonly HeldPort[]
  /** By name; services that are not installed are missing. */
  readonly services: Readonly<Record<string, ServiceState>>
  /** Services of packages that our engines use; they need not run. */
  readonly packageUnits: readonly string[]
  readonly tables: readonly ForeignTable[]
  /** Rules of the older kernel interface that nft does not show: policies of FORWARD and INPUT. */
  readonly legacyPolicies: Readonly<Record<string, string>>
  readonly isUfwEnabled: boolean
  readonly nftablesConfiguration: string
  readonly resolver: {
    /** Addresses of nameservers in /etc/resolv.conf. */
    readonly servers: readonly string[]
    /** False when the settings of systemd-resolved switch its stub off. */
    readonly hasStub: boolean
  }
  /** Devices that systemd-networkd or NetworkManager sets up too. */
  readonly networkd: readonly string[]
  readonly networkManager: readonly string[]
  /** Devices with a stanza in /etc/network/interfaces, and how they get their address. */
  readonly ifupdown: readonly { readonly device: string; readonly method: string; readonly file: string }[]
  readonly profiles: readonly ProfileReading[]
  /** Why engines have no limits of their own; null when they have them, and where that is not known. */
  readonly missingLimits: string | null
}

export const emptyReadings: Readings = {
  stateDir: '',
  app: '',
  hasGateway: true,
  devices: [],
  ports: [],
  held: [],
  services: {},
  packageUnits: [],
  tables: [],
  legacyPolicies: {},
  isUfwEnabled: false,
  nftablesConfiguration: '',
  resolver: { servers: [], hasStub: true },
  networkd: [],
  networkManager: [],
  ifupdown: [],
  profiles: [],
  missingLimits: null,
}
