// What an engine is, as data: its packages, folders, files, units, logs, ports and kernel features. gatewayd, applyd, the
// tests and the installer read it here. Programs, checkers, reloads and probes are added in engines/<service>/applyd/, because
// gatewayd must not choose them. Data only: this folder imports nothing that runs.

import type { AccountName } from './accounts.ts'

/** A Debian package. It counts as installed when `file` exists, however it was installed. */
export interface EnginePackage {
  readonly name: string
  readonly file: string
  /** Where `file` is when it is not a program. */
  readonly folders?: readonly string[] | undefined
  /** Services of the package, which must not run beside ours. */
  readonly units?: readonly string[] | undefined
  readonly leastMajor?: number | undefined
  readonly purpose: string
}

/** Read from packages.json by scripts/lib/packages.mjs too, which runs before anything else is installed. */
export interface EnginePackages {
  /** Installed by `npm start`. */
  readonly start: readonly EnginePackage[]
  /** Not for every gateway: installed for tests, and by applyd when the engine is first switched on (decision 67). */
  readonly use: readonly EnginePackage[]
  readonly tests: readonly EnginePackage[]
}

/** The group is `service` for gatewayd, one of our accounts, or that of a Debian package; without one it is root's. */
export interface Access {
  readonly mode: number
  readonly group?: string
}

/** Paths are below the state folder. */
export interface EngineFolder extends Access {
  readonly path: string
  /** The account that may write in it; without one it is root's. Its group is that of the account unless another is named. */
  readonly owner?: AccountName
}

/** A file of a plan. */
export interface EngineFileData extends Access {
  readonly path: string
}

/** A file for each of many objects, in a folder that holds nothing else. */
export interface FileTemplateData extends Access {
  readonly folder: string
  /** False: not forced to the disk one by one, because it can be made again. */
  readonly isForced?: boolean
}

/** How the log of a unit becomes records of the system journal. `{brand}` is replaced by the name of the product. */
export interface LogSource {
  /** `stamped`: `[unix seconds] program[process] level: text`; `plain`: without times, so that of the file is taken. */
  readonly form: 'stamped' | 'plain'
  readonly syslogId: string
  readonly unit: string
}

export interface UnitData {
  /** Null: the log is kept, but is not part of the system journal. */
  readonly log: LogSource | null
  /** Names in earlier releases: a process that runs under one of them is kept under the new name. */
  readonly formerNames?: readonly string[]
  /** A file that takes standard output, of the account that opens it again, if it does; it is emptied when it is larger. */
  readonly output?: EngineFileData & { readonly maxBytes: number; readonly owner?: AccountName }
}

/** A port of the engine, for the firewall's own rules, which come before those of administrators. */
export interface ServicePort {
  /** The system rules are named `inp.sys.<name>` and `out.sys.<name>`. */
  readonly name: string
  /**
   * `local`: closed to external interfaces, otherwise rules of administrators decide. `served`: opened where the area
   * says that the service is on.
   */
  readonly networks: 'local' | 'served'
  readonly way: 'input' | 'output'
  readonly protocol: 'tcp' | 'udp'
  readonly sourcePort: number | null
  readonly destinationPort: number
}

/** Something the kernel must offer; `path` exists while it does. */
export interface KernelFeature {
  readonly name: string
  readonly path: string
}

export interface EngineData {
  /** Also the name of its folder in engines/, and of its units. */
  readonly service: string
  /** What an administrator calls it: `DNS server`. */
  readonly title: string
  readonly packages: EnginePackages
  readonly folders: readonly EngineFolder[]
  readonly files: Readonly<Record<string, EngineFileData>>
  readonly fileTemplates: Readonly<Record<string, FileTemplateData>>
  readonly units: Readonly<Record<string, UnitData>>
  /** Units of which there is one for each device or address, named `<template>.<instance>`. */
  readonly unitTemplates: Readonly<Record<string, UnitData>>
  readonly ports: Readonly<Record<string, ServicePort>>
  /** TCP ports of loopback, between its own programs. */
  readonly innerPorts?: readonly number[]
  readonly kernel: readonly KernelFeature[]
}

/** Keeps the names of files, units and ports as types. */
export const declareEngine = <const E extends EngineData>(engine: E): E => engine
