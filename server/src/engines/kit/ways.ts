// What an engine needs of the kernel beside the tables of a plan, such as routing or queues: a way of packets, which the engine
// declares and applyd's core carries out. A way is open before the rules that lead to it, and closed after them.

/** What a plan says of a way: its entries, or null while it is closed. */
export type WayState<E extends object> = readonly E[] | null

/** `ip` and `nft` are the programs after any wrapper, such as one that enters a namespace. */
export interface KernelPrograms {
  readonly ip: readonly string[]
  readonly nft: readonly string[]
}

/** Works from what the kernel shows, so that nothing has to be remembered over a restart or a crash. */
export interface WayControl<E extends object> {
  isCurrent(state: WayState<E>): Promise<boolean>
  /** Before the rules; `before` is what was there. Not called for a way that closes. */
  open(state: readonly E[], before: WayState<E>): Promise<void>
  /** After the rules. */
  close(state: WayState<E>): Promise<void>
  /** At a start and at a revert: brings the kernel to the state, whatever it has. */
  ensure(state: WayState<E>): Promise<void>
  /** What the observation has of it while it is open. */
  observe?(): Promise<unknown>
  /** Connections that take it cannot be ended: closes it until the next start of applyd. False when it was not open. */
  giveUp?(): Promise<boolean>
}

export interface Way<E extends object = object> {
  /** As plans and applyd's record name it. */
  readonly name: string
  /** At the beginning of a sentence: `The routing to the web proxy`. */
  readonly title: string
  /** Tables of nftables that are its own. */
  readonly tables?: readonly string[]
  /** What a plan may say; refuses everything else. */
  parse(entries: readonly unknown[]): readonly E[]
  create(programs: KernelPrograms): WayControl<E>
}
