// Stored objects, one list a kind, and the table of kinds. What an object means is in resolve.ts.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, type Item, type ListSlot, list } from '../../core/model/slots.ts'
import { zones } from '../network/public.ts'
import {
  AddressList,
  CountryList,
  Domain,
  IpAddress,
  IpAddressList,
  IpRange,
  NetworkObject,
  PortList,
  PortObject,
  PortRange,
  TimeList,
  TimeRange,
} from './contract.ts'

export const ipAddresses = list('objects.ip_addresses', IpAddress)
export const ipRanges = list('objects.ip_ranges', IpRange)
export const networks = list('objects.networks', NetworkObject)
export const domains = list('objects.domains', Domain)
export const ports = list('objects.ports', PortObject)
export const portRanges = list('objects.port_ranges', PortRange)
export const timeRanges = list('objects.time_ranges', TimeRange)
export const addressLists = list('objects.address_lists', AddressList)
export const ipAddressLists = list('objects.ip_address_lists', IpAddressList)
export const portLists = list('objects.port_lists', PortList)
export const timeLists = list('objects.time_lists', TimeList)
export const countryLists = list('objects.country_lists', CountryList)

/** What all objects of administrators have. */
export interface StoredObject extends Item {
  readonly id: string
  readonly title: string
  readonly comment: string
}

/** A list of objects, or of addresses. */
export interface StoredList extends StoredObject {
  readonly values: readonly string[]
}

export interface ObjectKind<T extends StoredObject = StoredObject> {
  /** First word of its ids, and its `type`. */
  readonly prefix: string
  readonly slot: ListSlot<T>
  /** One of it in words, for messages. */
  readonly noun: string
}

export const objectKinds: readonly ObjectKind[] = [
  { prefix: 'ip', slot: ipAddresses, noun: 'IP address' },
  { prefix: 'ip_range', slot: ipRanges, noun: 'IP range' },
  { prefix: 'subnet', slot: networks, noun: 'subnet' },
  { prefix: 'domain', slot: domains, noun: 'domain' },
  { prefix: 'port', slot: ports, noun: 'port' },
  { prefix: 'port_range', slot: portRanges, noun: 'port range' },
  { prefix: 'time_range', slot: timeRanges, noun: 'time' },
  { prefix: 'address_list', slot: addressLists, noun: 'list of IP objects' },
  { prefix: 'ip_address_list', slot: ipAddressLists, noun: 'list of IP addresses' },
  { prefix: 'port_list', slot: portLists, noun: 'list of ports' },
  { prefix: 'time_list', slot: timeLists, noun: 'schedule' },
  { prefix: 'zone', slot: zones, noun: 'zone' },
  { prefix: 'list_of_iplists', slot: countryLists, noun: 'list of countries' },
]

/** Zones are groups of interfaces and belong to the network. */
export const slots = objectKinds.map((kind) => kind.slot).filter((slot) => slot.key !== zones.key)

export const objectSlots = objectKinds.map((kind) => kind.slot)

const kindByPrefix = new Map(objectKinds.map((kind) => [kind.prefix, kind]))

/** The kind whose objects the slot holds. */
export function kindOfSlot(slot: Pick<ListSlot, 'key'>): ObjectKind {
  const kind = objectKinds.find((one) => one.slot.key === slot.key)
  if (!kind) throw new Error(`${slot.key} holds no objects`)
  return kind
}

/** The kind an id of an administrator's object belongs to. */
export const kindOf = (id: string): ObjectKind | undefined => kindByPrefix.get(id.slice(0, id.indexOf('.')))

export function findObject(config: Config, id: string): StoredObject | undefined {
  const kind = kindOf(id)
  return kind && findIn(config, kind.slot, id)
}
