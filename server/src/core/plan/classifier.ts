// What the firewall and the traffic classifier agree on: how the first packets of connections get from one to the other.

/** The group of the kernel's packet log; that of the firewall log is another. */
export const copyGroup = 7
/** Of each connection, both directions together. */
export const copiedPackets = 24
/** Of each packet; names and handshakes are at the beginning. */
export const copiedBytes = 1500
/** Of all connections in a second. What is above is not copied, so a flood of connections costs no more than this. */
export const copiesPerSecond = 10_000
