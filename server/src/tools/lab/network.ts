// The lab as data: its namespaces, cables, addresses and servers. The launcher builds it, the lab
// commands show it, tests and areas name its parts. A MAC spells the address it belongs to.

export const labNamespaces = ['client', 'gateway', 'internet'] as const

export type LabNamespace = (typeof labNamespaces)[number]

export interface CableEnd {
  readonly namespace: LabNamespace
  readonly name: string
  readonly mac: string
  /** Null leaves the end as a card comes out of its box: down and without an address. */
  readonly address: string | null
}

/** Pairs of interfaces; a packet sent into one end comes out of the other. */
export const labCables: readonly (readonly [CableEnd, CableEnd])[] = [
  [
    { namespace: 'client', name: 'lan0', mac: '02:00:0a:0a:00:02', address: '10.10.0.2/24' },
    { namespace: 'gateway', name: 'lan0', mac: '02:00:0a:0a:00:01', address: '10.10.0.1/24' },
  ],
  [
    { namespace: 'gateway', name: 'wan0', mac: '02:00:cb:00:71:02', address: '203.0.113.2/24' },
    { namespace: 'internet', name: 'gw1', mac: '02:00:cb:00:71:01', address: '203.0.113.1/24' },
  ],
  // A second provider, for tests that need one: a free card on the gateway's side.
  [
    { namespace: 'gateway', name: 'opt0', mac: '02:00:c6:12:00:02', address: null },
    { namespace: 'internet', name: 'gw2', mac: '02:00:c6:12:00:01', address: '198.18.0.1/24' },
  ],
]

/** The way back to the clients lets un-NATed packets be answered, so NAT shows in the address a server saw. */
export const labRoutes: readonly { readonly namespace: LabNamespace; readonly to: string; readonly via: string }[] = [
  { namespace: 'client', to: 'default', via: '10.10.0.1' },
  { namespace: 'gateway', to: 'default', via: '203.0.113.1' },
  { namespace: 'internet', to: '10.10.0.0/24', via: '203.0.113.2' },
]

export const webAddress = '198.51.100.10'
export const dnsAddress = '198.51.100.53'

/** Where the internet's web server answers: a host beyond the uplink, and the provider's router itself. */
export const webListeners = [`${webAddress}:80`, '203.0.113.1:80'] as const

/** Those of the real root servers, at which the DNS of the lab answers too; what it knows is in `root.zone`. */
export const rootServerAddresses: readonly string[] = [
  '198.41.0.4',
  '170.247.170.2',
  '192.33.4.12',
  '199.7.91.13',
  '192.203.230.10',
  '192.5.5.241',
  '192.112.36.4',
  '198.97.190.53',
  '192.36.148.17',
  '192.58.128.30',
  '193.0.14.129',
  '199.7.83.42',
  '202.12.27.33',
]

/** What the client has as its DNS server: the gateway. */
export const clientDns = '10.10.0.1'

export function isLabNamespace(name: string): name is LabNamespace {
  return labNamespaces.some((known) => known === name)
}
