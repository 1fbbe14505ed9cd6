// Objects that rules are made of (docs/behaviour/objects.md): addresses, ports, times, zones, countries and lists of them.
// `type` of an object is the word its id begins with.

import type { Static, TArray, TObject, TString } from 'typebox'
import type { Kind } from '../../core/contract/annotations.ts'
import { collectionEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, named, nullable, strictObject } from '../../core/contract/fields.ts'
import { shapesOf, Title } from '../../core/contract/object-shapes.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'
import { zoneShapes } from '../network/contract.ts'

const maskOctet = '(?:0|128|192|224|240|248|252|254|255)'
const mask = `(?:255\\.255\\.255\\.${maskOctet}|255\\.255\\.${maskOctet}\\.0|255\\.${maskOctet}\\.0\\.0|${maskOctet}\\.0\\.0\\.0)`
const prefixOrMask = `(?:[0-9]|[12][0-9]|3[0-2]|${mask})`

const Address = Type.String({
  pattern: `^${addressPattern}$`,
  'x-fault': 'Must be an IPv4 address such as 192.168.0.1.',
})

const Network = Type.String({
  pattern: `^${addressPattern}/${prefixOrMask}$`,
  'x-fault': 'Must be an IPv4 network such as 192.168.0.0/24 or 192.168.0.0/255.255.255.0.',
})

const AddressOrNetwork = Type.String({
  pattern: `^${addressPattern}(?:/${prefixOrMask})?$`,
  'x-fault': 'Must be an IPv4 address, alone or with a prefix length or mask, such as 10.0.0.1 or 10.0.0.0/24.',
})

const label = '[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?'
/** The last label is not a number, so that no address passes for a name. */
const DomainName = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: `^(?:${label}\\.)*(?![0-9]+$)${label}$`,
  'x-fault':
    'Must be a domain name such as example.com: letters, digits and hyphens between dots, without a wildcard. ' +
    'Write an international name in its ASCII form (xn--...).',
})

const Port = Type.Integer({ minimum: 1, maximum: 65_535 })

const TimeOfDay = Type.String({
  pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$',
  'x-fault': 'Must be a time of day such as 08:30, from 00:00 to 23:59.',
})

const Moment = Type.Integer({
  minimum: 19_700_101_000_000,
  maximum: 99_991_231_235_959,
  'x-time': 'stamp',
  description: 'YYYYMMDDhhmmss by the clock of the gateway.',
})

const Period = strictObject({ first: Moment, last: Moment })

const objectId = (prefixes: readonly Kind[], example: string) =>
  Type.String({
    'x-refers': prefixes,
    pattern: `^(?:${prefixes.join('|')})\\.id\\.[1-9][0-9]{0,14}$`,
    'x-fault': `Must be the id of one of: ${prefixes.join(', ')}; such as ${example}.`,
  })

export const maxMembers = 10_000
export const maxAddresses = 100_000

/** An empty list matches nothing. An object appears in a list once. */
const members = (prefixes: readonly Kind[], example: string) =>
  Type.Array(objectId(prefixes, example), { maxItems: maxMembers, uniqueItems: true })

/** Bodies may say `value` for `values`, never both; replies say `values` (docs/behaviour/objects.md 3). */
const listShapesOf = <P extends string, V extends ReturnType<typeof Type.Array>>(prefix: P, values: V) => ({
  ...shapesOf(prefix, { values }),
  body: strictObject({
    title: Title,
    comment: Type.Optional(Comment),
    values: Type.Optional(values),
    value: Type.Optional(
      Type.Unsafe<Static<V>>({ ...values, 'x-synonym-of': 'values', description: 'Another word for values.' }),
    ),
  }),
})

/** A time that ends when it begins is the whole day, one that ends earlier spans midnight (docs/behaviour/objects.md 4). */
const timeFields = {
  weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    minItems: 1,
    maxItems: 7,
    uniqueItems: true,
    description: '1 is Monday, 7 is Sunday: the days on which the time begins.',
  }),
  start: TimeOfDay,
  end: Type.String({ ...TimeOfDay, description: 'The first minute that is outside again.' }),
}

const shapes = {
  ipAddress: shapesOf('ip', { value: Address }),
  ipRange: shapesOf('ip_range', { start: Address, end: Address }),
  network: shapesOf('subnet', { value: Network }),
  domain: shapesOf('domain', { value: DomainName }),
  port: shapesOf('port', { value: Port }),
  portRange: shapesOf('port_range', { start: Port, end: Port }),
  timeRange: {
    ...shapesOf('time_range', { ...timeFields, period: nullable(Period) }),
    body: strictObject({
      title: Title,
      comment: Type.Optional(Comment),
      ...timeFields,
      period: Type.Optional(nullable(Period)),
    }),
  },
  addressList: listShapesOf('address_list', members(['ip', 'ip_range', 'subnet', 'domain'], 'ip.id.1')),
  ipAddressList: listShapesOf(
    'ip_address_list',
    Type.Array(AddressOrNetwork, { maxItems: maxAddresses, 'x-lines': true }),
  ),
  portList: listShapesOf('port_list', members(['port', 'port_range'], 'port.id.1')),
  timeList: listShapesOf('time_list', members(['time_range'], 'time_range.id.1')),
  zone: zoneShapes,
  countryList: listShapesOf('list_of_iplists', members(['iplist'], 'iplist.id.276')),
} as const

export const IpAddress = shapes.ipAddress.stored
export const IpRange = shapes.ipRange.stored
export const NetworkObject = shapes.network.stored
export const Domain = shapes.domain.stored
export const PortObject = shapes.port.stored
export const PortRange = shapes.portRange.stored
export const TimeRange = shapes.timeRange.stored
export const AddressList = shapes.addressList.stored
export const IpAddressList = shapes.ipAddressList.stored
export const PortList = shapes.portList.stored
export const TimeList = shapes.timeList.stored
export const CountryList = shapes.countryList.stored

const endpointsOf = <B extends TObject, V extends TObject>(
  path: string,
  title: string,
  item: string,
  { body, shown }: { readonly body: B; readonly shown: V },
  bodyLimitBytes?: number,
) => {
  const group = collectionEndpoints({
    path: `/aliases/${path}`,
    title,
    item,
    idName: 'object_id',
    change: 'firewall',
    fields: body,
    shown,
  })
  if (bodyLimitBytes === undefined) return group
  return { ...group, create: { ...group.create, bodyLimitBytes }, update: { ...group.update, bodyLimitBytes } }
}

/** Enough for the longest ids and addresses, each on an indented line. */
const membersLimit = 1024 * 1024
const addressesLimit = 5 * 1024 * 1024

/** In one call; more are sent in several, or the list is replaced as a whole. */
const maxChanged = 10_000

const ValuesChanged = named(
  'ValuesChanged',
  strictObject({
    added: Type.Integer({ description: 'How many values were added; those already in the list are not counted.' }),
    removed: Type.Integer({ description: 'How many values were removed.' }),
  }),
)

/** Those of a list that can be long; `values` costs what it changes, whatever the length of the list. */
const listEndpointsOf = <B extends TObject, V extends TObject>(
  path: string,
  title: string,
  item: string,
  shape: { readonly body: B; readonly shown: V; readonly stored: TObject<{ values: TArray<TString> }> },
  bodyLimitBytes: number,
  [one, other]: readonly [string, string],
) => {
  const values = Type.Array(shape.stored.properties.values.items, { maxItems: maxChanged })
  return {
    ...endpointsOf(path, title, item, shape, bodyLimitBytes),
    values: endpoint({
      method: 'PATCH',
      path: `/aliases/${path}/:object_id/values`,
      access: 'firewall',
      summary: `Add and remove values of ${item}`,
      description:
        'The other values stay. Adding what is in the list and removing what is not in it are not errors. ' +
        'Added values take the place of the first removed one, or come last.',
      body: strictObject({ add: Type.Optional(values), remove: Type.Optional(values) }),
      reply: ValuesChanged,
      bodyLimitBytes: membersLimit,
      example: { body: { add: [one], remove: [other] }, reply: { added: 1, removed: 1 } },
    }),
  }
}

export const ipAddressEndpoints = endpointsOf('ip_addresses', 'IP addresses', 'an IP address', shapes.ipAddress)
export const ipRangeEndpoints = endpointsOf('ip_ranges', 'IP ranges', 'an IP range', shapes.ipRange)
export const networkEndpoints = endpointsOf('networks', 'subnets', 'a subnet', shapes.network)
export const domainEndpoints = endpointsOf('domains', 'domains', 'a domain', shapes.domain)
export const portEndpoints = endpointsOf('ports', 'ports', 'a port', shapes.port)
export const portRangeEndpoints = endpointsOf('port_ranges', 'port ranges', 'a port range', shapes.portRange)
export const timeRangeEndpoints = endpointsOf('time_ranges', 'times', 'a time', shapes.timeRange)
export const addressListEndpoints = listEndpointsOf(
  'lists/addresses',
  'lists of IP objects',
  'a list of IP objects',
  shapes.addressList,
  membersLimit,
  ['ip.id.1', 'subnet.id.2'],
)
export const ipAddressListEndpoints = listEndpointsOf(
  'ip_address_lists',
  'lists of IP addresses',
  'a list of IP addresses',
  shapes.ipAddressList,
  addressesLimit,
  ['192.168.1.10', '192.168.2.0/24'],
)
export const portListEndpoints = endpointsOf(
  'lists/ports',
  'lists of ports',
  'a list of ports',
  shapes.portList,
  membersLimit,
)
export const timeListEndpoints = endpointsOf('lists/times', 'schedules', 'a schedule', shapes.timeList, membersLimit)
export const zoneEndpoints = endpointsOf('zones', 'zones', 'a zone', shapes.zone)
export const countryListEndpoints = endpointsOf(
  'lists/iplists',
  'lists of countries',
  'a list of countries',
  shapes.countryList,
  membersLimit,
)

/** Any object; which value fields it has depends on its type. */
export const AnyObject = strictObject({
  id: Type.String(),
  title: Type.String(),
  comment: Type.String(),
  type: Type.String({ description: 'Kind of the object: ip, subnet, port, zone, lan, isp, protocol ...' }),
  value: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  values: Type.Optional(Type.Array(Type.String())),
  start: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  end: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  weekdays: Type.Optional(Type.Array(Type.Integer())),
  period: Type.Optional(nullable(Period)),
})
export type AnyObject = Static<typeof AnyObject>

export const listAll = endpoint({
  method: 'GET',
  path: '/aliases/all',
  access: 'view',
  summary: 'List every object the gateway knows',
  description: 'Objects of administrators, and those that are always there: any, protocols, interfaces, countries.',
  reply: Type.Array(AnyObject),
})

export const whereUsed = endpoint({
  method: 'GET',
  path: '/aliases/where_used/:object_id',
  access: 'view',
  summary: 'Show where an object is used',
  reply: Type.Array(
    strictObject({
      object: Type.String({ description: 'The user, such as firewall.forward[7].' }),
      field: Type.String(),
      title: Type.String({ description: 'The user in words, such as FORWARD rule 7.' }),
    }),
  ),
})

export const useCounts = endpoint({
  method: 'GET',
  path: '/aliases/use_counts',
  access: 'view',
  summary: 'Count how often each object is used',
  description: 'Objects of administrators that are used at all; every other one is not.',
  reply: Type.Array(strictObject({ id: Type.String(), uses: Type.Integer() })),
})

export const domainsState = endpoint({
  method: 'GET',
  path: '/aliases/domains_state',
  access: 'view',
  summary: 'Show what the domains resolve to',
  reply: Type.Array(
    strictObject({
      id: Type.String(),
      value: Type.String(),
      addresses: Type.Array(Type.String()),
      resolved_at: nullable(Type.Integer({ 'x-time': 'unix', description: 'Unix seconds of the last good answer.' })),
      error: nullable(Type.String({ description: 'Why the last attempt failed; the last known addresses stay.' })),
    }),
  ),
})

export const geoipState = endpoint({
  method: 'GET',
  path: '/aliases/geoip_state',
  access: 'view',
  summary: 'Show the state of the country database',
  reply: strictObject({
    loaded: Type.Boolean(),
    path: Type.String({ description: 'Where the operator puts the database.' }),
    countries: Type.Integer({ description: 'Countries with at least one network.' }),
    build_time: nullable(
      Type.Integer({ 'x-time': 'unix', description: 'Unix seconds at which the database was made.' }),
    ),
    msg: Type.Array(Type.String()),
  }),
})
