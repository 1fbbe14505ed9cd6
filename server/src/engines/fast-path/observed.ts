// The fast path as a plan names it, and as applyd observes it.
export const fastPathWay = 'fast-path'

/** Connections between such cards may take it. */
export interface FastDevice {
  readonly device: string
}

export interface FastPathObservation {
  /** False: the kernel or its nftables has none, and nothing is missing. */
  readonly isAble: boolean
  /** Between these it is in force, as the kernel lists them. */
  readonly devices: readonly string[]
  /** The kernel cannot end connections that take it, so it stays closed. */
  readonly isGivenUp: boolean
  /** What the kernel said when it refused it; empty when it did not. */
  readonly fault: string
}
