// The DHCP server and relay (docs/behaviour/dhcp.md): one entry per local interface, static leases, and leases in use.

import type { Static } from 'typebox'
import { collectionEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, nullable, StatusItem, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'
import { domainPattern, Peer } from '../dns/contract.ts'

const Address = Type.String({
  pattern: `^${addressPattern}$`,
  maxLength: 15,
  'x-fault': 'Must be an IPv4 address such as 192.168.0.1.',
})

const AddressOrNothing = Type.String({
  pattern: `^(?:|${addressPattern})$`,
  maxLength: 15,
  'x-fault': 'Must be an IPv4 address such as 192.168.0.1, or empty.',
})

export const showStatus = endpoint({
  method: 'GET',
  path: '/dhcp_server/status',
  access: 'view',
  summary: 'Show the state of the DHCP server',
  reply: Type.Array(StatusItem),
})

export const Option = strictObject({
  comment: Comment,
  enabled: Type.Boolean(),
  forced: Type.Boolean({ description: 'Send the option even when the client did not ask for it.' }),
  option: text({
    minLength: 1,
    maxLength: 512,
    description:
      'In the notation of dnsmasq: [vendor:[<vendor-class>],][<opt>|option:<opt-name>],[<value>[,<value>]], such as ' +
      '176,"MCIPADD=1.2.3.4,MCPORT=1719".',
  }),
})
export type Option = Static<typeof Option>

const Range = Type.String({
  pattern: `^${addressPattern}-${addressPattern}$`,
  maxLength: 31,
  'x-fault': 'Must be a range of IPv4 addresses such as 192.168.0.10-192.168.0.100.',
})

const Route = strictObject({
  destination: Type.String({
    pattern: `^${addressPattern}(?:/(?:[0-9]|[12][0-9]|3[0-2]))?$`,
    maxLength: 18,
    description: 'A host or a subnet.',
    'x-fault': 'Must be an IPv4 address or a subnet such as 10.0.0.0/8.',
  }),
  gateway: Address,
})

export const Server = strictObject({
  dns: Type.Array(Address, {
    maxItems: 2,
    uniqueItems: true,
    description: 'With none, the gateway is the DNS server.',
  }),
  domain: Type.String({
    maxLength: 253,
    pattern: `^(?:|${domainPattern})$`,
    description: 'DNS suffix; may be empty.',
    'x-fault': 'Must be a domain name such as office.example, or empty.',
  }),
  gateway: Type.Unsafe<string>({ ...AddressOrNothing, description: 'Empty: the address of the interface.' }),
  lease_time: Type.Integer({
    minimum: 1,
    maximum: 525_600,
    'x-unit': 'minutes',
    description: 'Minutes; a lease of one minute lasts two.',
  }),
  options: Type.Array(Option, { maxItems: 128 }),
  ranges: Type.Array(Range, { maxItems: 64, description: 'Addresses to lease, first-last; at most 256 in each.' }),
  routes: Type.Array(Route, { maxItems: 32, description: 'Static routes for the clients.' }),
  tftp_filename: text({ maxLength: 127, description: 'File for network boot; may be empty.' }),
  tftp_server: Type.Unsafe<string>({ ...AddressOrNothing, description: 'Server for network boot; may be empty.' }),
  wins: Type.Array(Address, { maxItems: 8, uniqueItems: true }),
  wpad_enabled: Type.Boolean({
    description: 'Announce the proxy; direct connections to the proxy must be allowed.',
  }),
})
export type Server = Static<typeof Server>

const Relay = strictObject({
  external_servers: Type.Array(Peer, { minItems: 1, maxItems: 16, uniqueItems: true }),
})

const entryFields = {
  enabled: Type.Boolean(),
  interface: Type.String({
    'x-refers': ['interface'],
    pattern: '^(?:interface\\.id\\.)?[1-9][0-9]{0,14}$',
    maxLength: 28,
    description: 'Id of a local interface; the id of the connection alone is also understood.',
    'x-fault': 'Must be the id of a local interface, such as interface.id.1.',
  }),
  relay: nullable(Relay),
  server: nullable(Server),
}
export const NewEntry = strictObject(entryFields, 'Exactly one of relay and server is not null.')
export type NewEntry = Static<typeof NewEntry>

export const Entry = strictObject({ id: Type.String(), ...entryFields })
export type Entry = Static<typeof Entry>

const entryEndpoints = collectionEndpoints({
  path: '/dhcp_server/settings',
  title: 'DHCP settings',
  item: 'the DHCP settings of an interface',
  change: 'configure',
  idName: 'settings_id',
  fields: NewEntry,
  shown: Entry,
})

export const entries = {
  ...entryEndpoints,
  update: {
    ...entryEndpoints.update,
    description: 'Any subset of the fields. Setting one of relay and server sets the other one to null.',
  },
}

const leaseFields = {
  comment: Comment,
  enabled: Type.Boolean(),
  ip_address: Type.Unsafe<string>({ ...Peer, 'x-fault': 'Must be the IPv4 address of a host, such as 192.168.0.40.' }),
  mac: Type.String({
    pattern: '^(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$',
    maxLength: 17,
    description: 'Kept in lower case.',
    'x-fault': 'Must be a MAC with colons, such as 11:22:33:44:55:66.',
  }),
}
export const NewStaticLease = strictObject(leaseFields)
export type NewStaticLease = Static<typeof NewStaticLease>

export const StaticLease = strictObject({ id: Type.String(), ...leaseFields })
export type StaticLease = Static<typeof StaticLease>

export const staticLeases = collectionEndpoints({
  path: '/dhcp_server/static_leases',
  title: 'static leases',
  item: 'a static lease',
  change: 'configure',
  idName: 'lease_id',
  fields: NewStaticLease,
  shown: StaticLease,
})

export const Lease = strictObject({
  ip_address: Type.String(),
  mac: Type.String(),
  hostname: Type.String({ description: 'Name that the client reports; may be empty.' }),
  interface: Type.String({
    'x-refers': ['interface'],
    description: 'Id of the local interface; empty when the address is not in a network of one.',
  }),
  expires_at: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds.' }),
  static: Type.Boolean({ description: 'The address is bound to the MAC, by a static lease or an authorization rule.' }),
  comment: Type.String({ description: 'Comment of the static lease or of the rule.' }),
})
export type Lease = Static<typeof Lease>

export const listLeases = endpoint({
  method: 'GET',
  path: '/dhcp_server/leases',
  access: 'view',
  summary: 'List the leases in use',
  description: 'Leases that the DHCP server of the gateway has given out and that have not expired.',
  reply: Type.Array(Lease),
})
