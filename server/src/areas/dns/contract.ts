// DNS (docs/behaviour/dns.md): interception, safe search, external servers, forward zones, authoritative zones and dynamic
// DNS.

import type { Static } from 'typebox'
import { collectionEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, Enabled, nullable, oneOf, StatusItem, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

/** Another machine that can be asked: not this one, not link-local, not multicast. */
export const peerPattern = `(?!0\\.|127\\.|169\\.254\\.|22[4-9]\\.|2[345]\\d\\.)${addressPattern}`

export const Peer = Type.String({
  pattern: `^${peerPattern}$`,
  maxLength: 15,
  'x-fault': 'Must be the IPv4 address of another machine, such as 192.0.2.53.',
})

/** Names of services have underscores; the last label is not a number, so that an address is not taken for a name. */
const label = '[A-Za-z0-9_](?:[A-Za-z0-9_\\-]{0,61}[A-Za-z0-9_])?'
export const domainPattern = `(?:${label}\\.)*(?![0-9]+$)${label}`

const ZoneName = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: `^${domainPattern}$`,
  'x-fault':
    'Must be a domain name such as example.com or 1.168.192.in-addr.arpa, without a final dot. ' +
    'Write an international name in its ASCII form (xn--...).',
})

export const showStatus = endpoint({
  method: 'GET',
  path: '/dns/status',
  access: 'view',
  summary: 'Show the state of the DNS services',
  reply: Type.Array(StatusItem),
})

export const DnsSettings = strictObject({
  intercept_enabled: Type.Boolean({ description: 'Answer queries that local hosts send to servers in the internet.' }),
})

export const dnsSettings = settingsEndpoints({
  path: '/dns/settings',
  title: 'DNS settings',
  change: 'configure',
  schema: DnsSettings,
})

export const safeSearch = settingsEndpoints({
  path: '/dns/safesearch',
  title: 'redirection to safe search',
  change: 'configure',
  schema: Enabled,
})

const rootServerFields = {
  enabled: Type.Boolean(),
  type: oneOf(['ip', 'interface']),
  object: Type.String({
    'x-refers': ['interface'],
    pattern: `^(?:${peerPattern}|interface\\.id\\.[1-9][0-9]{0,14})$`,
    maxLength: 28,
    description: 'The IPv4 address of the server, or the id of the provider connection that gives its servers.',
    'x-fault':
      'Must be the IPv4 address of another machine, or the id of a provider connection such as interface.id.2.',
  }),
  comment: Comment,
}
export const RootServer = strictObject({ id: Type.String(), ...rootServerFields })
export type RootServer = Static<typeof RootServer>

export const rootServers = collectionEndpoints({
  path: '/dns/zones/root',
  title: 'external DNS servers',
  item: 'an external DNS server',
  change: 'configure',
  idName: 'server_id',
  fields: strictObject(rootServerFields),
  shown: RootServer,
})

const forwardZoneFields = {
  name: ZoneName,
  enabled: Type.Boolean(),
  servers: Type.Array(Peer, { minItems: 1, maxItems: 16, uniqueItems: true, description: 'Servers of the zone.' }),
  comment: Comment,
}
export const ForwardZone = strictObject({ id: Type.String(), ...forwardZoneFields })
export type ForwardZone = Static<typeof ForwardZone>

export const forwardZones = collectionEndpoints({
  path: '/dns/zones/forward',
  title: 'forward zones',
  item: 'a forward zone',
  change: 'configure',
  idName: 'zone_id',
  fields: strictObject(forwardZoneFields),
  shown: ForwardZone,
})

const masterZoneFields = {
  name: ZoneName,
  enabled: Type.Boolean(),
  config: Type.String({
    minLength: 1,
    maxLength: 10_000,
    'x-lines': true,
    pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$',
    description:
      'The zone in the format of zone files (RFC 1035): $ORIGIN, $TTL, one SOA record, and A, AAAA, CAA, CNAME, MX, ' +
      'NS, PTR, SRV and TXT records. Names without a final dot get the origin.',
    'x-fault': 'Must not contain control characters other than tabs and line ends.',
  }),
  comment: Comment,
}
export const MasterZone = strictObject({ id: Type.String(), ...masterZoneFields })
export type MasterZone = Static<typeof MasterZone>

export const masterZones = collectionEndpoints({
  path: '/dns/zones/master',
  title: 'authoritative zones',
  item: 'an authoritative zone',
  change: 'configure',
  idName: 'zone_id',
  fields: strictObject(masterZoneFields),
  shown: MasterZone,
})

export const ddnsState = settingsEndpoints({
  path: '/dns/ddns/state',
  title: 'state of dynamic DNS',
  change: 'configure',
  schema: Enabled,
})

const DdnsDomain = Type.String({
  maxLength: 253,
  pattern: `^(?:|(?![Ww]{3}\\.)(?:${label}\\.)+(?![0-9]+$)${label})$`,
  description: 'The domain whose records follow the external address; empty: none.',
  'x-fault': 'Must be a domain name such as example.com, without https:// and www.',
})
const ServiceLogin = text({ maxLength: 255, description: 'Login at the provider of the domain.' })
const ServicePassword = text({
  'x-secret': true,
  maxLength: 42,
  description: 'Shown to full administrators only; ***, null or no field keeps the stored one.',
})

export const Ddns = strictObject({
  domain: DdnsDomain,
  service_login: ServiceLogin,
  service_password: ServicePassword,
})
export type Ddns = Static<typeof Ddns>

export const DdnsPatch = strictObject({
  domain: Type.Optional(DdnsDomain),
  service_login: Type.Optional(ServiceLogin),
  service_password: Type.Optional(nullable(ServicePassword)),
})
export type DdnsPatch = Static<typeof DdnsPatch>

export const ddns = {
  show: endpoint({
    method: 'GET',
    path: '/dns/ddns',
    access: 'view',
    summary: 'Show the dynamic DNS settings',
    reply: Ddns,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/dns/ddns',
    access: 'configure',
    summary: 'Change the dynamic DNS settings',
    description: 'Any subset of the fields; what is not sent stays.',
    body: DdnsPatch,
  }),
}
