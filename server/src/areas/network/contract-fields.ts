// Forms of the fields of network interfaces: cards, addresses, servers, tags, zones.

import { interfaceKinds } from '../../core/contract/annotations.ts'
import { nullable, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

const macPattern = '(?:[0-9a-f]{2}:){5}[0-9a-f]{2}'
const uuidPattern = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** The last label begins with a letter: `2130706433` and `0x7f.1` are addresses to some programs. */
const domainPattern = `(?:${label}\\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

export const Title = text({ minLength: 1, maxLength: 255 })
export const ShortTitle = text({ minLength: 1, maxLength: 42 })

export const Card = Type.String({
  'x-refers': ['card'],
  pattern: `^${macPattern}$`,
  maxLength: 17,
  'x-fault': 'Must be the MAC of a card in lower case, such as 11:22:33:44:55:66.',
})

export const CardOrAggregated = Type.String({
  'x-refers': ['card', 'aggregated'],
  pattern: `^(?:${macPattern}|${uuidPattern})$`,
  maxLength: 36,
  description: 'MAC of the card in lower case, or the id of an aggregated interface.',
  'x-fault':
    'Must be the MAC of a card in lower case, such as 11:22:33:44:55:66, or the id of an aggregated interface.',
})

export const Address = Type.String({
  pattern: `^${addressPattern}$`,
  maxLength: 15,
  'x-fault': 'Must be an IPv4 address such as 192.0.2.1.',
})

const InterfaceAddress = Type.String({
  pattern: `^${addressPattern}/(?:[1-9]|[12][0-9]|3[0-2])$`,
  maxLength: 18,
  'x-fault': 'Must be an IPv4 address with the prefix of its network, such as 192.0.2.1/24.',
})

export const Addresses = Type.Array(InterfaceAddress, {
  uniqueItems: true,
  maxItems: 256,
  description: 'IP/prefix each.',
})

export const Server = Type.String({
  pattern: `^(?:${addressPattern}|${domainPattern})$`,
  minLength: 1,
  maxLength: 253,
  description: 'IPv4 address or domain.',
  'x-fault': 'Must be an IPv4 address or a domain name.',
})

export const VlanTag = nullable(Type.Integer({ minimum: 1, maximum: 4095 }))
export const Zone = nullable(
  Type.String({
    'x-refers': ['zone'],
    pattern: '^zone\\.id\\.[0-9]{1,15}$',
    maxLength: 23,
    description: 'Id of a zone.',
    'x-fault': 'Must be the id of a zone, such as zone.id.1.',
  }),
)
export const NetflowIndex = Type.Integer({ minimum: 0, maximum: 65_535 })

/** An alias of an interface, by its form; whether it exists is checked with the configuration. */
export const InterfaceAlias = Type.String({
  'x-refers': interfaceKinds,
  pattern: `^(?:interface\\.(?:id\\.[0-9]{1,15}|tunnel\\.${uuidPattern}|[a-z_]{1,32})|zone\\.id\\.[0-9]{1,15})$`,
  maxLength: 64,
  'x-fault': 'Must be the id of an interface, such as interface.id.1.',
})
