// Which ids exist and what they are called: objects of administrators, the fixed ones, and those that other areas give.
// Pure.

import { addressKinds, portKinds, timeKinds } from '../../core/contract/annotations.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { applications } from '../application-profiles/public.ts'
import { connectionAlias, connections, isExternal, tunnelAlias, tunnels } from '../network/public.ts'
import { findGroup, findUser } from '../users/public.ts'
import { findObject, kindOf, type StoredObject } from './config.ts'
import type { AnyObject } from './contract.ts'
import { countries } from './countries.ts'

const fixedObject = (id: string, type: string, title: string): AnyObject => ({ id, title, comment: '', type })

/** Always there (docs/behaviour/objects.md 2). */
export const fixedObjects: readonly AnyObject[] = [
  fixedObject('any', 'any', 'Any'),
  ...['ah', 'esp', 'gre', 'icmp', 'tcp', 'udp'].map((name) =>
    fixedObject(`protocol.${name}`, 'protocol', name.toUpperCase()),
  ),
  fixedObject('interface.external_any', 'special_interface', 'External interfaces'),
  fixedObject('interface.external_eth', 'special_interface', 'External Ethernet interfaces'),
  fixedObject('interface.external_vpn', 'special_interface', 'External VPN interfaces'),
  fixedObject('interface.ipsec_any', 'special_interface', 'IPsec interfaces'),
  fixedObject('interface.local_any', 'special_interface', 'Local interfaces'),
  fixedObject('interface.tunnel_any', 'special_interface', 'Tunnel interfaces'),
  fixedObject('interface.wccp_gre_any', 'special_interface', 'WCCP GRE interfaces'),
  fixedObject('interface.utm_outgoing', 'special_interface', 'Traffic of the gateway itself'),
  fixedObject('interface.vpn_traffic', 'special_interface', 'Traffic of VPN clients'),
  // Profiles of administrators would begin with 1 (docs/behaviour/objects.md 2).
  fixedObject('hip_profile.id.0', 'hip_profile', 'Device without profile'),
  // Nothing else lists what profiles of application control can name.
  ...applications.map(({ id, name }) => fixedObject(id, 'l7', name)),
]

/** A country is named by its ISO 3166-1 number without leading zeros (docs/behaviour/objects.md 2). */
export const countryObjects: readonly AnyObject[] = countries.map(({ number, name }) =>
  fixedObject(`iplist.id.${number}`, 'iplist', name),
)

const countryIds = new Set(countryObjects.map(({ id }) => id))
export const isCountry = (id: string): boolean => countryIds.has(id)

const constant = new Map([...fixedObjects, ...countryObjects].map((object) => [object.id, object]))

/** Interfaces as objects: `lan`, `isp` for everything that leads to a provider, `loopback`, `tunnel`. */
export const interfaceObjects = (config: Config): AnyObject[] => [
  ...read(config, connections).map((connection) =>
    fixedObject(connectionAlias(connection), isExternal(connection) ? 'isp' : connection.type, connection.title),
  ),
  ...read(config, tunnels).map((tunnel) => fixedObject(tunnelAlias(tunnel), 'tunnel', tunnel.title)),
]

/** A user or a group of them as an object. */
export const personObject = ({ id, name }: { readonly id: string; readonly name: string }): AnyObject =>
  fixedObject(id, id.slice(0, id.indexOf('.')), name)

/** Kinds whose area does not exist yet: their ids are taken by form. */
const foreignForm =
  /^(?:hip_profile\.id\.(?:0|[1-9]\d{0,14})|security_group\.guid\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

const isInterface = (config: Config, id: string): boolean =>
  id.startsWith('interface.') && interfaceObjects(config).some((object) => object.id === id)

export const isKnownObject = (config: Config, id: string): boolean =>
  constant.has(id) ||
  findObject(config, id) !== undefined ||
  findPerson(config, id) !== undefined ||
  foreignForm.test(id) ||
  isInterface(config, id)

/** A user or a group of them. */
const findPerson = (config: Config, id: string) =>
  id.startsWith('user.') ? findUser(config, id) : findGroup(config, id)

/** What an administrator calls it; its id when it is not there. */
export function titleOf(config: Config, id: string): string {
  const known = constant.get(id) ?? findObject(config, id)
  return (
    known?.title ??
    findPerson(config, id)?.name ??
    interfaceObjects(config).find((object) => object.id === id)?.title ??
    id
  )
}

const isOneOf =
  (...prefixes: readonly string[]) =>
  (id: string): boolean =>
    prefixes.includes(id.slice(0, id.indexOf('.')))

/** Allowed in an address field beside `any` (docs/behaviour/objects.md 5). */
export const isAddressId = isOneOf(...addressKinds)
export const isPortId = isOneOf(...portKinds)
export const isTimeId = isOneOf(...timeKinds)

/** What lists show of an object: its type belongs to it. */
export const showObject = (object: StoredObject): AnyObject => {
  const { id, title, comment, ...rest } = object
  return { id, title, comment, type: kindOf(id)?.prefix ?? '', ...rest }
}
