// What an application is and how it is recognised in packets, as data. The rules of the inspection engine are made of it.

/** One way to recognise it, as the middle of a rule: `<action> <protocol> any any -> any any (msg; flowbits; <options> gid; sid;)`. */
export interface Pattern {
  /** A protocol of the rule language: tcp, udp, ip, icmp, tls, http, dns, quic, ssh ... */
  readonly protocol: string
  /** Options of the rule language, each with its semicolon. Written by us, never by an administrator. */
  readonly options: string
  /** How a connection is refused: `reject` ends it for both, `drop` where no one would hear of a reset (UDP, names). */
  readonly refusal: 'reject' | 'drop'
}

export interface Application {
  /** As in `id.l7.bittorrent`. */
  readonly id: string
  readonly name: string
  /** One of the 29 groups of the specification. */
  readonly group: string
  /** Never changes, also when others are added: it is in the sids of events. */
  readonly number: number
  /** Empty: it is known by name, and this release cannot recognise it. */
  readonly patterns: readonly Pattern[]
}
