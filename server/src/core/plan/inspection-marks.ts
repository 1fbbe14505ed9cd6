// What the ruleset, the queue of the kernel and the inspection engine must agree on. A connection that is inspected has the
// number of its channel in its mark; while a packet waits in the queue, the number is in its DSCP field, where a signature
// can read it, and what the field held is in the mark of the packet (decision 81). Data only.

export const inspection = {
  /** Bits of the connection mark: the number of the channel, 0 for a connection that is not inspected. */
  channelMask: 0xff00,
  channelShift: 8,
  /** Of the connection mark: the engine is done with this connection, which passes without it from now on. */
  doneBit: 0x1_0000,
  /** Bits of the packet mark: the DSCP field as it came, and the word of the engine that it is done with the connection. */
  keptMask: 0x3f00_0000,
  keptShift: 24,
  doneMark: 0x4000_0000,
  /** Of the packet mark: the DSCP field holds the number of a channel and has to be restored. */
  taggedMark: 0x8000_0000,
  /** The DSCP field has six bits, and 0 is not a channel. */
  mostChannels: 63,
  /** The first of the queues, one for each core that inspects: of channels that may pass without the engine, and of those that may not. */
  firstQueue: 7000,
  firstClosedQueue: 7004,
  mostQueues: 4,
  /** What of a packet fits into a message of a queue (NFQNL_MAX_COPY_RANGE of the kernel). */
  longestPacket: 65_531,
  /** Datagrams to this port plus the number of a channel, on loopback, are inspected in that channel: its test (areas/inspection/runs). */
  firstCanaryPort: 7100,
} as const

/** The connection mark of a channel. */
export const channelMark = (number: number): number => number << inspection.channelShift

export const channelOfMark = (mark: number): number => (mark & inspection.channelMask) >>> inspection.channelShift

/** What the kernel does with packets of a channel. */
export interface InspectedChannel {
  readonly number: number
  /** Without the engine packets pass; otherwise they are dropped. */
  readonly isFailOpen: boolean
  /** The engine has its rules. Until then packets pass or are dropped as if it did not run. */
  readonly isReady: boolean
}
