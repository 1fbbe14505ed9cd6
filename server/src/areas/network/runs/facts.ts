import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { networkInterfaces, totalmem } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type {
  AddressBook,
  Facts,
  InspectionFacts,
  InterfaceFact,
  LeaseFact,
  UsedAddress,
  WebProxyState,
} from '../../../core/plan/facts.ts'
import { ownAddress, type ShownCard } from '../../../core/plan/link.ts'
import { clientLeasesFolder } from '../../../engines/dhcp-client/index.ts'
import { isLeaseOver, type Moment } from '../../../engines/dhcp-client/lease-end.ts'
import { parseAddress, parseNetwork } from '../../../shared/net/ipv4.ts'

export interface FactsSource {
  readonly stateDir: string
  readonly addressBook: () => AddressBook
  /** What applyd shows of the devices; null while it has not answered yet. */
  readonly devices: () => string | null
  /** Null: agents cannot come from other machines. */
  readonly agentPort: number | null
  /** Null while it need not run. */
  readonly webProxy?: () => WebProxyState | null
  /** Null where nothing was ever inspected. */
  readonly inspection?: () => InspectionFacts | null
  readonly usedAddresses?: () => readonly UsedAddress[]
  /** Seconds since this boot, which no one sets. */
  readonly clock: { readonly boot: string; elapsed(): number }
  readonly now?: () => number
}

/** Default routes in the kernel's IPv4 routing table (/proc/net/route), the preferred one of a device last. */
const defaultRoutes = (routeTable: string) =>
  routeTable
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000')
    .map(([name = '', , gateway = '', , , , metric]) => ({ name, gateway, metric: Number(metric) }))
    .filter(({ name }) => name !== '')
    .sort((a, b) => b.metric - a.metric)

export const externalInterfaces = (routeTable: string): string[] =>
  [...new Set(defaultRoutes(routeTable).map(({ name }) => name))].sort()

/** `unreachable` and the like, which the kernel keeps under the name of some device. */
const refused = 0x0200

/** The same from the table of IPv6 (/proc/net/ipv6_route), whose last two columns are flags and name. */
export const externalIpv6Interfaces = (routeTable: string): string[] => {
  const rows = routeTable.split('\n').map((line) => line.trim().split(/\s+/))
  const names = rows
    .filter(([destination = '', prefix]) => /^0{32}$/.test(destination) && prefix === '00')
    .filter((row) => (Number.parseInt(row.at(-2) ?? '', 16) & refused) === 0)
    .flatMap((row) => row.at(-1) ?? [])
  return [...new Set(names.filter((name) => name !== 'lo'))].sort()
}

/** The next hop of each device with a default route. The table has addresses as the processor keeps them. */
export const defaultGateways = (routeTable: string): ReadonlyMap<string, string> =>
  new Map(
    defaultRoutes(routeTable)
      .filter(({ gateway }) => /^[0-9A-F]{8}$/.test(gateway) && gateway !== '00000000')
      .map(({ name, gateway }) => [name, [...Buffer.from(gateway, 'hex').reverse()].join('.')]),
  )

export const readDefaultGateways = (): ReadonlyMap<string, string> => defaultGateways(readText('/proc/net/route'))

const daySeconds = 86_400

export function readFacts(source: FactsSource): Facts {
  const {
    stateDir,
    addressBook,
    devices,
    agentPort,
    webProxy,
    inspection,
    usedAddresses,
    clock,
    now = Date.now,
  } = source
  const seconds = now() / 1000
  const shown = devices()
  return {
    interfaces: shown === null ? fromNode() : parseInterfaces(shown),
    externalInterfaces: externalInterfaces(readText('/proc/net/route')),
    externalIpv6Interfaces: externalIpv6Interfaces(readText('/proc/net/ipv6_route')),
    leases: readLeases(join(stateDir, clientLeasesFolder), { unix: seconds, boot: clock.boot, up: clock.elapsed() }),
    addressBook: addressBook(),
    agentPort,
    memoryBytes: totalmem(),
    ...(usedAddresses ? { usedAddresses: usedAddresses() } : {}),
    ...proxyFact(webProxy?.() ?? null),
    ...inspectionFact(inspection?.() ?? null),
    // Intl would load calendars and names of zones for it, which takes 25 ms at the start (decision 123).
    timeZone: Temporal.Now.timeZoneId(),
    scheduleDay: Math.floor(seconds / daySeconds) * daySeconds,
  }
}

const proxyFact = (state: WebProxyState | null): Pick<Facts, 'webProxy'> => (state === null ? {} : { webProxy: state })

const inspectionFact = (known: InspectionFacts | null): Pick<Facts, 'inspection'> =>
  known === null ? {} : { inspection: known }

/** Absent where it does not exist or cannot be read. */
function readText(path: string): string {
  try {
    // What other accounts write is read only as a plain file: a pipe would hold everything up.
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}

interface ShownLink extends ShownCard {
  readonly ifindex: number
  readonly ifname: string
  readonly flags: readonly string[]
  readonly operstate: string
  readonly link_type: string
  /** The bridge or aggregated interface that it is a port of. */
  readonly master?: string
  /** What it is plugged into; newer kernels say so. */
  readonly parentbus?: string
  readonly parentdev?: string
  readonly linkinfo?: ShownCard['linkinfo'] & { readonly info_kind?: string }
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[]
}

/** From `ip -json -details addr show`. */
export function parseInterfaces(text: string): readonly InterfaceFact[] {
  return (JSON.parse(text) as ShownLink[])
    .filter(({ ifname }) => ifname !== 'lo')
    .map((link) => ({
      name: link.ifname,
      mac: isCard(link) ? (ownAddress(link) ?? '') : '',
      addresses: link.addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
      // Devices without a cable have no state of one.
      isUp: link.flags.includes('UP') && ['UP', 'UNKNOWN'].includes(link.operstate),
      index: link.ifindex,
      ...(isPlainCard(link) ? { isPlainCard: true as const } : {}),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** VLANs, bonds and the like have the MAC of a card below them, which must be found by it alone. */
const isCard = ({ link_type: type, linkinfo }: ShownLink): boolean =>
  type === 'ether' && (linkinfo?.info_kind === undefined || linkinfo.info_kind === 'veth')

/** Programs made what has a kind. */
const isPlainCard = ({ link_type: type, linkinfo, master }: ShownLink): boolean =>
  type === 'ether' && linkinfo?.info_kind === undefined && master === undefined

/** A card of the machine, as a person tells it from the others. */
export interface CardFact {
  readonly name: string
  readonly mac: string
  /** Null while it is switched off: it does not look for a carrier then. */
  readonly hasCarrier: boolean | null
  readonly bus: string | null
}

/** The cards that a connection can be put on: of several devices with one MAC the one that would be found by it. */
export function parseCards(text: string): readonly CardFact[] {
  const links = new Map((JSON.parse(text) as ShownLink[]).map((link) => [link.ifname, link]))
  const taken = new Set<string>()
  return parseInterfaces(text).flatMap(({ name, mac }): CardFact[] => {
    const link = links.get(name)
    if (link === undefined || mac === '' || taken.has(mac)) return []
    taken.add(mac)
    if (isOfGuest(link)) return []
    const { flags, parentbus, parentdev } = link
    const hasCarrier = flags.includes('UP') ? flags.includes('LOWER_UP') : null
    return [{ name, mac, hasCarrier, bus: parentbus && parentdev ? `${parentbus} ${parentdev}` : null }]
  })
}

/** The outer end of a container's cable, by its bridge or by the names that programs give them; the inner end is a card there. */
const isOfGuest = ({ ifname, master, linkinfo }: ShownLink): boolean =>
  linkinfo?.info_kind === 'veth' && (master !== undefined || /^(?:veth|cali|lxc|cni|vnet)/.test(ifname))

/** Without applyd only what is up and has an address is known. */
const fromNode = (): readonly InterfaceFact[] =>
  Object.entries(networkInterfaces())
    .filter(([name]) => name !== 'lo')
    .map(([name, addresses = []]) => ({
      name,
      mac: addresses[0]?.mac ?? '',
      addresses: addresses.flatMap(({ cidr }) => (cidr ? [cidr] : [])),
      isUp: true,
      index: 0,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** What the DHCP client wrote down (engines/dhcp-client/applyd/). It comes from a network, so it is read strictly. */
export function readLeases(folder: string, now: Moment): LeaseFact[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    // No one has asked for a lease yet.
  }
  return names
    .filter((name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,14}\.json$/.test(name))
    .sort()
    .flatMap((name) => parseLease(name.slice(0, -'.json'.length), readText(join(folder, name)), now) ?? [])
}

export function parseLease(device: string, text: string, now: Moment): LeaseFact | null {
  let lease: Record<string, unknown>
  try {
    lease = JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
  const { address, gateway, dns } = lease ?? {}
  const isAddress = (value: unknown): value is string => typeof value === 'string' && parseAddress(value) !== null
  if (isLeaseOver(lease ?? {}, now)) return null
  if (typeof address !== 'string' || !parseNetwork(address)) return null
  return {
    device,
    address,
    gateway: isAddress(gateway) ? gateway : null,
    dns: Array.isArray(dns) ? dns.filter(isAddress).slice(0, 3) : [],
  }
}

/** The same value as long as nothing changed, so that renders are not repeated for nothing. */
export function createFactsReader(readNow: () => Facts): { current(): Facts; refresh(): boolean } {
  let facts = readNow()
  return {
    current: () => facts,
    refresh: () => {
      const next = readNow()
      if (isSame(next, facts)) return false
      facts = next
      return true
    },
  }
}

/** The address book may hold a hundred thousand entries; its owner gives another map when one changes. */
const isSame = ({ addressBook: a, ...one }: Facts, { addressBook: b, ...other }: Facts): boolean =>
  a === b && isDeepStrictEqual(one, other)
