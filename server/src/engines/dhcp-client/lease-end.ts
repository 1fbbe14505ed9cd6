// When a lease of the DHCP client is over. Seconds since the boot decide, because no one sets that clock: a wall clock that is
// put right after a start must not take the address of a gateway away. After another boot only the wall clock is left.

export interface LeaseEnd {
  /** Unix seconds. */
  readonly until: number
  /** The boot in which the lease was given, and the seconds after it at which it ends. */
  readonly boot: string
  readonly untilUp: number
}

export interface Moment {
  readonly unix: number
  readonly boot: string
  readonly up: number
}

/** What cannot be read has ended. */
export function isLeaseOver({ until, boot, untilUp }: Partial<Record<keyof LeaseEnd, unknown>>, now: Moment): boolean {
  if (typeof untilUp === 'number' && boot === now.boot) return untilUp <= now.up
  return typeof until !== 'number' || until <= now.unix
}
