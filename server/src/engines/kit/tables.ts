// The types of the fixed tables: which nft tables, files and units exist at all. A plan only chooses from them by name, so
// no path and no program ever comes from gatewayd. The production tables are made in production.ts, from the engines.

import { join } from 'node:path'
import type { EnginePackage, KernelFeature } from '../../core/engine/engine.ts'
import type { Ownership } from '../../shared/files/durable.ts'
import { type FileForm, formOf } from './forms.ts'
import type { EngineRequests } from './requests.ts'
import type { Way } from './ways.ts'

/**
 * The path belongs to applyd alone: when no plan names the file any more, it is removed. The ending is added to what the
 * plan says: paths, accounts and sockets, which gatewayd may not choose.
 */
export type FileSpec = Ownership & { readonly path: string; readonly ending?: string }

/** A file for each of many objects, such as zones; the folder belongs to applyd alone. */
export type FileTemplate = Ownership & { readonly folder: string }

/** `{name}` in an argument is replaced by the path of that file; for a checker, by that of its staged copy. */
export type Command = { readonly program: string; readonly args: readonly string[] }

/**
 * How a running engine is notified that its files changed. Commands are run one after the other, until one fails; it works as
 * before then where `isKept` says so, and is restarted with the next change otherwise. `ask` is the path of a socket of a
 * program of ours, which answers once it works with the new files.
 */
export type Reload =
  | 'restart'
  | { readonly signal: NodeJS.Signals }
  | { readonly commands: readonly Command[]; readonly timeoutMs?: number; readonly isKept?: boolean }
  | { readonly ask: string }

/** Names of the files that changed since the engine last read them; null when it is unknown which. */
export type ChangedFiles = readonly string[] | null

/** What a changed file held before; null when it did not exist or this is unknown. */
export type FilesBefore = (file: string) => string | null

/** Gets the paths of staged files by name, and their folder, in which it may write. */
export type CheckMaker = (staged: ReadonlyMap<string, string>, staging: string) => Command

/** How applyd checks that an engine answers. */
export type Probe =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly timeoutMs: number }
  | { readonly kind: 'udp'; readonly port: number; readonly timeoutMs: number }
  | { readonly kind: 'unix'; readonly path: string; readonly timeoutMs: number }
  | { readonly kind: 'alive'; readonly forMs: number }

/** Never a way to all others: no `sys_admin`, `sys_ptrace`, `dac_override`. */
export type Capability = 'chown' | 'net_admin' | 'net_bind_service' | 'net_raw' | 'setgid' | 'setuid'

/** See prlimit(1): open files, bytes of memory, and processes and threads of the account, if it has nothing else to run. */
export interface Limits {
  readonly nofile: number
  readonly data: number
  readonly nproc?: number
}

/** What a unit needs, and the command that installs it. */
export interface Installation {
  readonly packages: readonly EnginePackage[]
  /** Null where applyd must not or cannot install anything. */
  readonly command: readonly string[] | null
  /** The file of what the installation said, where another process than the command does it. */
  readonly words?: string
}

export interface UnitSpec extends Command {
  /** Without a user the engine starts as root, and drops that itself. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /**
   * All that the engine and what it starts can ever have (names of setpriv(1) without `cap_`). With a user it has them from
   * the start; without one it keeps of them what it wants.
   */
  readonly capabilities: readonly Capability[]
  /** Variables beside those that every program has. */
  readonly environment?: Readonly<Record<string, string>>
  /**
   * What it reads, with what a plan may write there: names in the table of files, `<template>.*` for all files of a template.
   * A change of any of them reloads the unit.
   */
  readonly files: Readonly<Record<string, FileForm>>
  /** The engine's own checker; null when it has none. */
  readonly check: Command | CheckMaker | null
  readonly reload: Reload | ((changed: ChangedFiles, before: FilesBefore) => Reload)
  readonly probe: Probe
  /** Traffic does not need it: a plan is applied even when it does not start, and the status shows why. */
  readonly isOptional?: boolean
  /**
   * Its start or reload is slow: an apply starts them and does not wait, the observation shows the result. The area that
   * renders it declares `apply: 'background'`.
   */
  readonly isSlow?: boolean
  /** Where its standard output goes instead of its log; emptied when it is larger than `maxBytes`. */
  readonly output?: Ownership & { readonly path: string; readonly maxBytes: number }
  /** Asked at each look with the process number: why it must end, though it runs; null while it works. */
  readonly watch?: (pid: number) => string | null
  /** Required kernel features; a missing one is reported instead of the last line of the log. */
  readonly needs?: readonly KernelFeature[]
  readonly limits: Limits
  /** What must be installed before it can run. */
  readonly installation?: Installation
}

export interface NftSpec {
  /** The program, after any wrapper (a test runs it in a separate namespace). */
  readonly command: readonly string[]
  /** Tables a plan may name; the first is the one without which traffic must not pass. */
  readonly tables: readonly [string, ...string[]]
  /** Exists while the first is missing, and drops all forwarded traffic. */
  readonly boot: string
  /** How to talk to the kernel; without it the library, and the program where that is not possible. */
  readonly way?: 'library' | 'program' | undefined
  /** The file of the library, where it is not the usual one. */
  readonly library?: string | undefined
  /** An open descriptor of the network namespace that the library works in, where it is not that of the process. */
  readonly namespace?: number | undefined
}

/** Where the kernel shows the connections it tracks. */
export interface TrackingSpec {
  readonly table: string
  /** Settings that are 1 while the kernel counts the traffic of connections and records when they began. */
  readonly switches: readonly string[]
}

export interface Tables {
  readonly nft: NftSpec
  readonly files: ReadonlyMap<string, FileSpec>
  /** Files of which there is one for each of many objects; they are named `<template>.<object>`. */
  readonly fileTemplates: ReadonlyMap<string, FileTemplate>
  /** In the order of starting. */
  readonly units: ReadonlyMap<string, UnitSpec>
  /** Units of which there is one for each device; they are named `<template>.<device>` and start after all others. */
  readonly templates: ReadonlyMap<string, (device: string) => UnitSpec>
  /** Names of units in earlier releases, with their names in this one. */
  readonly formerUnits: ReadonlyMap<string, string>
  /** Ways of packets that engines declare. */
  readonly ways: readonly Way[]
  /** What engines do beside plans, by service; each is made once. */
  readonly requests: ReadonlyMap<string, () => EngineRequests>
  /** Once, before any unit starts. */
  readonly makeReady: () => void
  readonly tracking: TrackingSpec
  /** The folder with the settings of the kernel's network. */
  readonly settings: string
  /** The process that ends connections, after what surrounds it. */
  readonly cutter: readonly string[]
  /** The program that sends packets through a copy of the rules. */
  readonly trial: readonly string[]
}

/** The account of gatewayd, which may read what units write for it. */
export type ServiceAccount = { readonly uid: number; readonly gid: number } | null

/** Neither a path nor an option nor syntax of any program. */
export const deviceForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,14}$/

/** An id, and so neither a path nor hidden. */
export const objectForm = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The specification of a file, also of an instance of a template. */
export function findFile({ files, fileTemplates }: Tables, name: string): FileSpec | undefined {
  const [kind, object] = splitName(name)
  const template = objectForm.test(object) ? fileTemplates.get(kind) : undefined
  return files.get(name) ?? (template && { ...template, path: join(template.folder, object) })
}

/** Before and after the first dot. */
function splitName(name: string): readonly [string, string] {
  const [first = '', ...rest] = name.split('.')
  return [first, rest.join('.')]
}

export const readsFile = (unit: UnitSpec, name: string): boolean => formOf(unit, name) !== undefined

/** The specification of a unit, also of an instance of a template. */
export function findUnit({ units, templates }: Tables, name: string): UnitSpec | undefined {
  const [kind, device] = splitName(name)
  const template = deviceForm.test(device) ? templates.get(kind) : undefined
  return units.get(name) ?? template?.(device)
}
