// The fixed tables: which nft tables, files and units exist at all. A plan only chooses from them by name, so no path
// and no program ever comes from gatewayd. The tests hold that names are plain and every file is vetted by some unit.

import type { Ownership } from './durable.ts'

/** The path belongs to applyd alone: when no plan names the file any more, it is removed. */
export type FileSpec = Ownership & { readonly path: string }

/** `{name}` in an argument stands for the path of that file; for a checker, for its staged copy. */
export type Command = { readonly program: string; readonly args: readonly string[] }

/** How we know that an engine answers. */
export type Probe =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly timeoutMs: number }
  | { readonly kind: 'udp'; readonly port: number; readonly timeoutMs: number }
  | { readonly kind: 'unix'; readonly path: string; readonly timeoutMs: number }
  | { readonly kind: 'alive'; readonly forMs: number }

export interface UnitSpec extends Command {
  /** Without a user the engine starts as root and is trusted to step down by itself. */
  readonly user?: { readonly uid: number; readonly gid: number }
  /** Names in the table of files; a change of any of them reloads the unit. */
  readonly files: readonly string[]
  /** The engine's own checker; null when it has none. */
  readonly check: Command | null
  readonly reload: 'restart' | { readonly signal: NodeJS.Signals }
  readonly probe: Probe
  /** See prlimit(1). */
  readonly limits?: { readonly nofile?: number; readonly nproc?: number; readonly as?: number }
  /** Faults of a file that the engine would accept and we do not: programs, modules, includes, paths, sockets. */
  readonly directives: (file: string, text: string) => readonly string[]
}

export interface NftSpec {
  /** The program, with what must stand before it (a test runs it in a namespace of its own). */
  readonly command: readonly string[]
  /** Tables a plan may name; the first is the one without which traffic must not pass. */
  readonly tables: readonly [string, ...string[]]
  /** Stands while the first is missing, and drops what would be forwarded. */
  readonly boot: string
}

export interface Tables {
  readonly nft: NftSpec
  readonly files: ReadonlyMap<string, FileSpec>
  /** In the order of starting. */
  readonly units: ReadonlyMap<string, UnitSpec>
}

export const productionTables: Tables = {
  nft: { command: ['/usr/sbin/nft'], tables: ['inet portcullis'], boot: 'inet portcullis_boot' },
  files: new Map(),
  units: new Map(),
}
