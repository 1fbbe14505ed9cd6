// What applyd asks of nftables, whichever way it is asked.

import type { Problem } from '../../core/contract/error.ts'
import type { Counts } from '../../shared/netlink.ts'
import type { ScriptLine } from '../nft-script.ts'
import type { ElementChange } from './address-set.ts'
import type { KeyPart, LiveChanged, LiveSetChange, PackedElements } from './live-elements.ts'

/** `unchecked` is why the checker could not run. */
export type Verdict = { readonly problems: readonly Problem[]; readonly unchecked: string | null }

export interface NftKernel {
  readonly way: 'library' | 'program'
  /** Changes nothing. */
  check(script: readonly ScriptLine[]): Promise<Verdict>
  /** One transaction; when it is refused the kernel is unchanged. Rejects when it is unknown whether it is loaded. */
  load(script: readonly ScriptLine[]): Promise<Verdict>
  /**
   * One transaction that changes nothing but elements, without reading the sets first. `stale`: nothing was changed
   * because another program changed the ruleset after `generation`; null: that is not asked.
   */
  changeElements(changes: readonly ElementChange[], generation: number | null): Promise<Verdict | 'stale'>
  /** One transaction for elements of sets of hosts, whatever they hold. With `generation` as above. Rejects when it is refused. */
  changeLive(table: string, changes: readonly LiveSetChange[], generation: number | null): Promise<LiveChanged>
  /** All elements with what is left of their time, by set; sets that do not exist are not in it. */
  readLive(table: string, sets: ReadonlyMap<string, readonly KeyPart[]>): Promise<ReadonlyMap<string, PackedElements>>
  /** Every transaction of any program makes it larger; null where it cannot be read. */
  generation(): Promise<number | null>
  /** What the rules of each origin counted, in these chains or in all of the table; null when there is no such table. */
  counts(table: string, chains: readonly string[] | null): Promise<Counts | null>
  /** Name and hook of each chain, in order of the names. */
  chains(table: string): Promise<string[]>
  /** The JSON of a listing, from a separate process, so that no load waits for it; null when there is no such table. */
  list(table: string): Promise<string | null>
  isPresent(table: string): Promise<boolean>
  close(): Promise<void>
}
