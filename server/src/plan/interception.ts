// What the ruleset and the routing of the gateway must agree on, so that packets the web proxy takes are delivered to it. The
// compiler writes the mark, applyd sets the rule and the route for it. Data only.

export const interception = {
  /** Of packets that are delivered to the proxy. Set before routing and by nothing else. */
  mark: 0x77e8,
  /** The table with nothing but a local default route, and the place of the rule that leads there. */
  table: 7701,
  preference: 7701,
} as const
