// The kinds of objects an administrator makes: their calls, words and fields, and which page shows them.

import type { Endpoint } from '@gateway/server/contract'
import {
  addressListEndpoints,
  countryListEndpoints,
  domainEndpoints,
  ipAddressEndpoints,
  ipAddressListEndpoints,
  ipRangeEndpoints,
  networkEndpoints,
  portEndpoints,
  portListEndpoints,
  portRangeEndpoints,
  timeListEndpoints,
  timeRangeEndpoints,
  whereUsed,
  zoneEndpoints,
} from '@gateway/server/contract/objects'
import { type Collection, collectionPage } from '../../contract/define.ts'
import type { IconName } from '../../ui/icons.ts'
import { msg } from '../../words.ts'

export const objectGroups = ['addresses', 'ports', 'times', 'zones', 'countries'] as const
export type ObjectGroup = (typeof objectGroups)[number]

export interface ObjectKind {
  /** The word that ids begin with. */
  readonly id: string
  readonly word: string
  readonly icon: IconName
  readonly group: ObjectGroup
  readonly collection: Collection
  /** Adds and removes values of a long list. */
  readonly values: Endpoint | null
}

const title = { label: msg('Name') }
const comment = { label: msg('Comment') }
const shared = { usedBy: whereUsed, columns: ['title'] as const }
const named = ({ title: name }: { readonly title: string }): string => name

const kind = (
  id: string,
  word: string,
  icon: IconName,
  group: ObjectGroup,
  { collection }: { readonly collection: Collection },
  values: Endpoint | null = null,
): ObjectKind => ({ id, word, icon, group, collection, values })

export const objectKinds: readonly ObjectKind[] = [
  kind(
    'ip',
    msg('address'),
    'address',
    'addresses',
    collectionPage({
      ...shared,
      endpoints: ipAddressEndpoints,
      stored: 'objects.ip_addresses',
      itemName: msg('address'),
      title: named,
      fields: { title, comment, value: { label: msg('Address'), placeholder: '192.168.0.1' } },
      empty: { text: msg('One IPv4 address with a name.') },
    }),
  ),
  kind(
    'subnet',
    msg('network'),
    'subnet',
    'addresses',
    collectionPage({
      ...shared,
      endpoints: networkEndpoints,
      stored: 'objects.networks',
      itemName: msg('network'),
      title: named,
      fields: { title, comment, value: { label: msg('Network'), placeholder: '192.168.0.0/24' } },
      empty: { text: msg('A network with a name.') },
    }),
  ),
  kind(
    'ip_range',
    msg('address range'),
    'range',
    'addresses',
    collectionPage({
      ...shared,
      endpoints: ipRangeEndpoints,
      stored: 'objects.ip_ranges',
      itemName: msg('address range'),
      title: named,
      fields: { title, comment, start: { label: msg('First address') }, end: { label: msg('Last address') } },
      empty: { text: msg('From one address to another.') },
    }),
  ),
  kind(
    'domain',
    msg('domain'),
    'domain',
    'addresses',
    collectionPage({
      ...shared,
      endpoints: domainEndpoints,
      stored: 'objects.domains',
      itemName: msg('domain'),
      title: named,
      fields: { title, comment, value: { label: msg('Domain'), placeholder: 'www.example.com' } },
      empty: { text: msg('A name that the gateway resolves again and again.') },
    }),
  ),
  kind(
    'address_list',
    msg('list of objects'),
    'list',
    'addresses',
    collectionPage({
      ...shared,
      endpoints: addressListEndpoints,
      stored: 'objects.address_lists',
      itemName: msg('list of objects'),
      title: named,
      fields: { title, comment, values: { label: msg('Members'), refers: ['ip', 'ip_range', 'subnet', 'domain'] } },
      empty: { text: msg('Addresses, networks, ranges and domains under one name.') },
    }),
    addressListEndpoints.values,
  ),
  kind(
    'ip_address_list',
    msg('list of addresses'),
    'list',
    'addresses',
    collectionPage({
      ...shared,
      endpoints: ipAddressListEndpoints,
      stored: 'objects.ip_address_lists',
      itemName: msg('list of addresses'),
      title: named,
      fields: {
        title,
        comment,
        values: {
          label: msg('Addresses and networks'),
          widget: 'lines',
          hint: msg('One a line: 10.0.0.1 or 10.0.0.0/24'),
        },
      },
      empty: { text: msg('Up to 100,000 addresses and networks as plain lines.') },
    }),
    ipAddressListEndpoints.values,
  ),
  kind(
    'port',
    msg('port'),
    'port',
    'ports',
    collectionPage({
      ...shared,
      endpoints: portEndpoints,
      stored: 'objects.ports',
      itemName: msg('port'),
      title: named,
      fields: { title, comment, value: { label: msg('Port') } },
      empty: { text: msg('One port with a name.') },
    }),
  ),
  kind(
    'port_range',
    msg('port range'),
    'port',
    'ports',
    collectionPage({
      ...shared,
      endpoints: portRangeEndpoints,
      stored: 'objects.port_ranges',
      itemName: msg('port range'),
      title: named,
      fields: { title, comment, start: { label: msg('First port') }, end: { label: msg('Last port') } },
      empty: { text: msg('From one port to another.') },
    }),
  ),
  kind(
    'port_list',
    msg('list of ports'),
    'list',
    'ports',
    collectionPage({
      ...shared,
      endpoints: portListEndpoints,
      stored: 'objects.port_lists',
      itemName: msg('list of ports'),
      title: named,
      fields: { title, comment, values: { label: msg('Members'), refers: ['port', 'port_range'] } },
      empty: { text: msg('Ports and ranges under one name.') },
    }),
  ),
  kind(
    'time_range',
    msg('time'),
    'time',
    'times',
    collectionPage({
      ...shared,
      endpoints: timeRangeEndpoints,
      stored: 'objects.time_ranges',
      itemName: msg('time'),
      title: named,
      fields: {
        title,
        comment,
        weekdays: {
          label: msg('Days'),
          widget: 'chips',
          options: {
            1: msg('Monday'),
            2: msg('Tuesday'),
            3: msg('Wednesday'),
            4: msg('Thursday'),
            5: msg('Friday'),
            6: msg('Saturday'),
            7: msg('Sunday'),
          },
        },
        start: { label: msg('From'), widget: 'time-of-day' },
        end: { label: msg('Until'), widget: 'time-of-day' },
        period: { label: msg('Only between two dates') },
      },
      empty: { text: msg('Days of the week with hours.') },
    }),
  ),
  kind(
    'time_list',
    msg('schedule'),
    'time',
    'times',
    collectionPage({
      ...shared,
      endpoints: timeListEndpoints,
      stored: 'objects.time_lists',
      itemName: msg('schedule'),
      title: named,
      fields: { title, comment, values: { label: msg('Times'), refers: ['time_range'] } },
      empty: { text: msg('Times under one name.') },
    }),
  ),
  kind(
    'zone',
    msg('zone'),
    'zone',
    'zones',
    collectionPage({
      ...shared,
      endpoints: zoneEndpoints,
      stored: 'objects.zones',
      itemName: msg('zone'),
      title: named,
      fields: { title, comment },
      empty: { text: msg('Connections under one name; rules name the zone instead of each connection.') },
    }),
  ),
  kind(
    'list_of_iplists',
    msg('list of countries'),
    'country',
    'countries',
    collectionPage({
      ...shared,
      endpoints: countryListEndpoints,
      stored: 'objects.country_lists',
      itemName: msg('list of countries'),
      title: named,
      fields: { title, comment, values: { label: msg('Countries'), refers: ['iplist'] } },
      empty: { text: msg('Countries under one name.') },
    }),
  ),
]

export const kindById: ReadonlyMap<string, ObjectKind> = new Map(objectKinds.map((one) => [one.id, one]))

export const groupTitles: Readonly<Record<ObjectGroup, string>> = {
  addresses: msg('Addresses'),
  ports: msg('Ports'),
  times: msg('Times'),
  zones: msg('Zones'),
  countries: msg('Countries'),
}
