// What must hold between interfaces that no schema can say: fields of a type, cards, tags, addresses, gateways, tunnels and
// mirrors. Problems name the field as it is sent. What is wrong by itself is a problem; what only clashes with another
// interface is a conflict. The declarations in lists.ts use these rules.

import type { Problem } from '../../core/contract/error.ts'
import { faultWords } from '../../core/contract/faults.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type Network, parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import {
  aggregated,
  type CardConnection,
  type Connection,
  connectionAlias,
  connections,
  isAddressed,
  isPpp,
  spans,
  tunnelAlias,
  tunnels,
  vceConnections,
} from './config.ts'
import { type Aggregated, fieldsOf, type Span, type Tunnel, type VceConnection } from './contract.ts'

const quote = (item: { readonly title: string }): string => `“${item.title}”`

/** Fields that the type does not have hide what else is wrong, so they are reported first. */
export function connectionProblems(config: Config, connection: Connection, current: Connection | null): Problem[] {
  const problems = [...fixedProblems(connection, current), ...typeProblems(connection, current?.type)]
  if (problems.length > 0) return problems
  return [
    ...('addresses' in connection ? addressProblems(connection) : []),
    ...missingAddress(connection),
    ...(isAddressed(connection) ? gatewayProblems(connection) : []),
    ...('server' in connection ? serverProblems(config, connection) : []),
  ]
}

const problem = (field: string, message: SaidText): Problem => ({ field, message })

const fieldOf = (connection: Connection, field: string): unknown =>
  new Map<string, unknown>(Object.entries(connection)).get(field)

/** Clients send back the whole object that they read, so an unchanged value is accepted. */
const fixedProblems = (connection: Connection, current: Connection | null): Problem[] =>
  current === null
    ? []
    : ['id', 'type', 'osdevname']
        .filter((field) => field in current && fieldOf(connection, field) !== fieldOf(current, field))
        .map((field) => problem(field, say`The ${field} of a connection cannot be changed.`))

const maxPppTitle = 42

/** What a loopback interface has only to keep one shape for all connections. */
const fixedOnLoopback: Readonly<Record<string, unknown>> = { mac: null, vlan_tag: null, zone: null, is_vce_vlan: false }

/** Missing fields, fields of other types, and values that the type does not allow. */
function typeProblems(connection: Connection, type = connection.type): Problem[] {
  const { required, defaults } = fieldsOf[type]
  const generated = type === 'loopback' ? ['id', 'osdevname'] : ['id']
  const known = new Set(['type', 'title', 'enabled', ...generated, ...required, ...Object.keys(defaults)])
  return [
    ...required
      .filter((field) => fieldOf(connection, field) === undefined)
      .map((field) => problem(field, say`This field is missing.`)),
    ...Object.keys(connection)
      .filter((field) => !known.has(field))
      .map((field) => problem(field, say`A connection of the type ${type} does not have this field.`)),
    ...(isPpp(connection) && [...connection.title].length > maxPppTitle
      ? [problem('title', sayText(faultWords.atMostCharacters, { limit: maxPppTitle }))]
      : []),
    ...(type === 'loopback'
      ? Object.entries(fixedOnLoopback)
          .filter(([field, value]) => fieldOf(connection, field) !== value)
          .map(([field, value]) => problem(field, say`Must be ${value} for a loopback interface.`))
      : connection.mac === null
        ? [problem('mac', say`Must be the MAC of a card or the id of an aggregated interface.`)]
        : []),
  ]
}

export const connectionConflicts = (config: Config, connection: Connection, current: Connection | null): Problem[] => [
  ...(connection.mac === current?.mac ? [] : takenCard(config, connection)),
  ...(connection.type === 'loopback' ? [] : cardConflicts(config, connection)),
  ...('addresses' in connection ? addressConflicts(config, connection) : []),
]

/** An aggregated interface may take a card that a connection uses; a connection may not take a card of an aggregated one. */
function takenCard(config: Config, { mac }: Connection): Problem[] {
  const holder = mac === null ? undefined : read(config, aggregated).find(({ nics }) => nics.includes(mac))
  return holder ? [problem('mac', say`The card belongs to the aggregated interface ${quote(holder)}.`)] : []
}

function missingAddress(connection: Connection): Problem[] {
  if (!('addresses' in connection) || connection.addresses.length > 0) return []
  if (isAddressed(connection) && connection.enable_dhcp) return []
  const message = isAddressed(connection)
    ? say`Without DHCP a connection needs at least one address.`
    : say`A loopback interface needs at least one address.`
  return [{ field: 'addresses', message }]
}

function cardConflicts(config: Config, connection: CardConnection): Problem[] {
  const { mac, vlan_tag: tag, id } = connection
  const problems: Problem[] = []
  const rival = read(config, connections).find(
    (other) => other.id !== id && other.mac === mac && other.vlan_tag === tag,
  )
  if (rival && tag === null)
    problems.push({
      field: 'mac',
      message: say`The card already carries ${quote(rival)}; a further connection on it needs a VLAN tag.`,
    })
  if (rival && tag !== null)
    problems.push({ field: 'vlan_tag', message: say`${quote(rival)} already has the tag ${tag} on this card.` })
  const passed = read(config, vceConnections).find((vce) => vce.mac === mac && vce.vlan_tag === null)
  if (passed)
    problems.push({ field: 'mac', message: say`The card is passed into a virtual environment by ${quote(passed)}.` })
  const passedTag = read(config, vceConnections).find((vce) => vce.mac === mac && tag !== null && vce.vlan_tag === tag)
  if (passedTag && !connection.is_vce_vlan)
    problems.push({
      field: 'vlan_tag',
      message: say`The tag ${tag} of this card is passed into a virtual environment by ${quote(passedTag)}.`,
    })
  const mirror = read(config, spans).find((span) => span.mac === mac)
  if (mirror) problems.push({ field: 'mac', message: say`The card is the destination of the mirror ${quote(mirror)}.` })
  return problems
}

interface Addressed {
  readonly id: number | string
  readonly addresses: readonly string[]
  readonly enabled: boolean
  readonly type?: Connection['type']
}

export const addressProblems = ({ addresses }: Pick<Addressed, 'addresses'>): Problem[] =>
  addresses.flatMap((text, index): Problem[] => {
    const field = `addresses[${index}]`
    const network = parseNetwork(text)
    if (!network) return [{ field, message: say`Must be an IPv4 address with a prefix.` }]
    const fault = unusable(network)
    if (fault !== null) return [{ field, message: fault }]
    const again = addresses.findIndex((other) => parseNetwork(other)?.address === network.address)
    return again < index ? [{ field, message: say`The address of ${text} is listed twice.` }] : []
  })

function addressConflicts(config: Config, item: Addressed): Problem[] {
  const others = [...read(config, connections), ...read(config, tunnels)].filter((other) => other.id !== item.id)
  return item.addresses.flatMap((text, index): Problem[] => {
    const network = parseNetwork(text)
    const conflicts = network ? others.map((other) => conflictWith(network, item, other)) : []
    const message = conflicts.find((conflict) => conflict !== null)
    return message ? [{ field: `addresses[${index}]`, message }] : []
  })
}

function conflictWith(network: Network, item: Addressed, other: Connection | Tunnel): SaidText | null {
  const both = item.enabled && other.enabled && item.type !== 'loopback' && !isLoopback(other)
  for (const text of 'addresses' in other ? other.addresses : []) {
    const theirs = parseNetwork(text)
    if (!theirs) continue
    if (theirs.address === network.address) return say`${quote(other)} has this address already.`
    if (both && theirs.low <= network.high && network.low <= theirs.high)
      return say`Its network overlaps with ${text} of ${quote(other)}.`
  }
  return null
}

const isLoopback = (other: Connection | Tunnel): boolean => 'type' in other && other.type === 'loopback'

function unusable({ address, low, high, prefix }: Network): SaidText | null {
  if (isInward(address) || address < 2 ** 24) return say`An interface cannot have this address.`
  if (prefix < 31 && address === low) return say`This is the address of the network itself, not of an interface in it.`
  if (prefix < 31 && address === high) return say`This is the broadcast address of the network.`
  return null
}

/** Loopback, link-local, multicast and above: never an address of an interface or of a peer. */
const isInward = (address: number): boolean =>
  address >>> 24 === 127 || address >>> 16 === 0xa9fe || address >= 0xe000_0000

interface WithGateway {
  readonly addresses: readonly string[]
  readonly gateway: string | null
}

export function gatewayProblems({ addresses, gateway }: WithGateway): Problem[] {
  if (gateway === null) return []
  const address = parseAddress(gateway)
  const networks = addresses.map(parseNetwork).filter((network) => network !== null)
  if (address === null || networks.some((network) => network.address === address))
    return [{ field: 'gateway', message: say`The gateway must be another machine.` }]
  const isNeighbour = networks.some(
    ({ low, high, prefix }) =>
      address >= low && address <= high && (prefix >= 31 || (address !== low && address !== high)),
  )
  return isNeighbour
    ? []
    : [{ field: 'gateway', message: say`The gateway must be inside a network of this interface.` }]
}

interface WithServer extends WithGateway {
  readonly server: string
  /** Tunnels do not have it: they use the route of their parent. */
  readonly enable_dhcp?: boolean
}

function serverProblems(config: Config, item: WithServer): Problem[] {
  const { server } = item
  const address = parseAddress(server)
  if (address === null)
    return /(?:^|\.)localhost$/i.test(server)
      ? [{ field: 'server', message: say`The server must be another machine.` }]
      : []
  if (isInward(address) || address < 2 ** 24 || isOwn(config, address))
    return [{ field: 'server', message: say`The server must be another machine.` }]
  const isNear = item.addresses.map(parseNetwork).some((network) => network && inside(network, address))
  const isUnreachable = item.enable_dhcp === false && item.gateway === null && !isNear
  return isUnreachable
    ? [
        {
          field: 'gateway',
          message: say`A gateway is needed, because the server is not in a network of this connection.`,
        },
      ]
    : []
}

const inside = ({ low, high }: Network, address: number): boolean => address >= low && address <= high

const isOwn = (config: Config, address: number): boolean =>
  [...read(config, connections), ...read(config, tunnels)].some(
    (one) => 'addresses' in one && one.addresses.some((text) => parseNetwork(text)?.address === address),
  )

export const aggregatedConflicts = (config: Config, { id, nics }: Aggregated): Problem[] =>
  nics.flatMap((mac, index): Problem[] => {
    const holder =
      read(config, aggregated).find((other) => other.id !== id && other.nics.includes(mac)) ??
      read(config, spans).find((span) => span.mac === mac) ??
      read(config, vceConnections).find((vce) => vce.mac === mac)
    return holder ? [{ field: `nics[${index}]`, message: say`The card belongs to ${quote(holder)}.` }] : []
  })

export function tunnelProblems(config: Config, tunnel: Tunnel): Problem[] {
  const parent = read(config, connections).find((one) => connectionAlias(one) === tunnel.parent_interface)
  const own = parent && 'addresses' in parent ? parent.addresses.map((text) => text.split('/')[0]) : []
  const isForeign = tunnel.local_ip !== null && !own.includes(tunnel.local_ip)
  return [
    ...(parent && isForeign && !(isAddressed(parent) && parent.enable_dhcp)
      ? [{ field: 'local_ip', message: say`The parent interface does not have this address.` }]
      : []),
    ...serverProblems(config, tunnel),
    ...addressProblems(tunnel),
    ...gatewayProblems(tunnel),
  ]
}

export function tunnelConflicts(config: Config, tunnel: Tunnel): Problem[] {
  const rival = read(config, tunnels).find(
    (other) =>
      other.id !== tunnel.id && other.parent_interface === tunnel.parent_interface && other.server === tunnel.server,
  )
  return [
    ...(rival
      ? [{ field: 'server', message: say`${quote(rival)} already connects this interface to this server.` }]
      : []),
    ...addressConflicts(config, tunnel),
  ]
}

export function vceConflicts(config: Config, { id, mac, vlan_tag: tag }: VceConnection): Problem[] {
  const user = read(config, connections).find(
    (one) => one.mac === mac && (tag === null || (one.vlan_tag === tag && !one.is_vce_vlan)),
  )
  const rival = read(config, vceConnections).find(
    (other) =>
      other.id !== id && other.mac === mac && (tag === null || other.vlan_tag === null || other.vlan_tag === tag),
  )
  const holder = user ?? rival ?? cardHolder(config, mac)
  return holder ? [{ field: 'mac', message: say`The card or its VLAN is in use by ${quote(holder)}.` }] : []
}

const cardHolder = (config: Config, mac: string) =>
  read(config, aggregated).find(({ nics }) => nics.includes(mac)) ?? read(config, spans).find((one) => one.mac === mac)

export function spanConflicts(config: Config, span: Span): Problem[] {
  const holder =
    read(config, connections).find((one) => one.mac === span.mac) ??
    read(config, vceConnections).find((one) => one.mac === span.mac) ??
    read(config, aggregated).find(({ nics }) => nics.includes(span.mac)) ??
    read(config, spans).find((other) => other.id !== span.id && other.mac === span.mac)
  return holder
    ? [{ field: 'mac', message: say`A mirror needs a free card; this one is in use by ${quote(holder)}.` }]
    : []
}

/** Why this interface cannot be mirrored, or null. */
export function mirrorFault(config: Config, alias: string): SaidText | null {
  const isSource =
    ['interface.vpn_traffic', 'interface.ipsec_any', 'interface.tunnel_any'].includes(alias) ||
    read(config, connections).some(
      (one) => (one.type === 'lan' || one.type === 'wan') && connectionAlias(one) === alias,
    ) ||
    read(config, tunnels).some((one) => tunnelAlias(one) === alias)
  return isSource ? null : say`Only local and external Ethernet interfaces, tunnels and VPN traffic can be mirrored.`
}
