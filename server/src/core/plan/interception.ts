// What the ruleset and the routing of the gateway must agree on, so that packets the web proxy takes are delivered to it. The
// compiler writes the mark, applyd sets the rule and the route for it, and who counts connections knows the halves. Data only.

export const interception = {
  /** Of packets that are delivered to the proxy. Set before routing and by nothing else. */
  mark: 0x77e8,
  /** The table with nothing but a local default route, and the place of the rule that leads there. */
  table: 7701,
  preference: 7701,
} as const

/** Bits of the connection mark: what is between client and proxy, and what is between proxy and server. */
const halves = { client: 0x2, server: 0x4 } as const

/**
 * Traffic through the proxy is in the table of connections twice. Counted is the half of the server, which is on the wire of the
 * uplink and has the translation.
 */
export const isClientHalf = (mark: number): boolean => (mark & halves.client) !== 0
