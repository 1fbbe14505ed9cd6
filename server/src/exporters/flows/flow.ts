// A flow as it is exported: one way of a connection, for as long as one report covers.

export interface Flow {
  /** Addresses as numbers: the host itself on both ends, whatever was translated on the way. */
  readonly source: number
  readonly destination: number
  /** Of protocols without ports 0; of ICMP the destination has type * 256 + code. */
  readonly sourcePort: number
  readonly destinationPort: number
  readonly protocol: number
  /** Accounting numbers of the interfaces; 0 for the gateway itself and where they are unknown. */
  readonly input: number
  readonly output: number
  readonly sourcePrefix: number
  readonly destinationPrefix: number
  readonly packets: number
  readonly bytes: number
  readonly tcpFlags: number
  /** Unix milliseconds. */
  readonly first: number
  readonly last: number
}
