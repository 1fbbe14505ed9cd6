// The DHCP service as files of dnsmasq: one for its settings, one for who is bound to which address, which it reads again
// without a restart; and the server of the proxy file where that is announced. Pure.

import { engineFile, engineUnit } from '../../core/engine/artifacts.ts'
import { pathOf as pathIn } from '../../core/model/paths.ts'
import type { Config } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import {
  address,
  type Dnsmasq,
  directive,
  host,
  nothing,
  number,
  origin,
  prefixed,
  printLines,
  quote,
  word,
} from '../../engines/dhcp/dnsmasq.ts'
import { dhcp } from '../../engines/dhcp/index.ts'
import {
  highestAddress,
  type Network,
  parseAddress,
  parseNetwork,
  parseSpan,
  printAddress,
} from '../../shared/net/ipv4.ts'
import { captivePortalUrl } from '../portal/public.ts'
import { entries } from './config.ts'
import type { Entry, Server } from './contract.ts'
import { type DhcpOption, domainCodes, parseOption } from './dhcp-option.ts'
import { bindingsOf, type RelayedNetwork, type ServedNetwork, serviceOf } from './resolve.ts'
import { wpadUrl } from './wpad.ts'

export function render(config: Config, facts: Facts): Artifact[] {
  const { served, relayed } = serviceOf(config, facts)
  if (served.length + relayed.length === 0) return []
  return [
    engineFile(dhcp, 'dnsmasq.conf', printLines(settingsLines(config, served, relayed))),
    engineFile(dhcp, 'dhcp-hosts', printLines(hostLines(config, facts, served))),
    engineUnit(dhcp, 'dhcp'),
  ]
}

/** More leases than all addresses of all ranges that fit: dnsmasq would stop at a thousand. */
const mostLeases = 1_000_000

function settingsLines(
  config: Config,
  served: readonly ServedNetwork[],
  relayed: readonly RelayedNetwork[],
): Dnsmasq[] {
  const devices = new Set([...served, ...relayed].map(({ device }) => device))
  return [
    directive('port', number(0)),
    directive('no-resolv'),
    directive('no-hosts'),
    directive('bind-dynamic'),
    directive('dhcp-authoritative'),
    // It would send a ping before each offer and serve no one else for seconds (decision 94).
    directive('no-ping'),
    directive('quiet-dhcp'),
    directive('dhcp-lease-max', number(mostLeases)),
    ...[...devices].sort().map((device) => directive('interface', word(device))),
    ...relayed.flatMap(relayLines),
    ...served.flatMap((place) => networkLines(config, place)),
  ]
}

const pathOf = ({ id }: Entry): string => pathIn(entries, id)

const relayLines = ({ entry, address: own, servers }: RelayedNetwork): Dnsmasq[] => [
  origin(`${pathOf(entry)}.relay.external_servers`),
  ...servers.map((server) => directive('dhcp-relay', address(own), address(server))),
]

function networkLines(config: Config, place: ServedNetwork): Dnsmasq[] {
  const { entry, server } = place
  const custom = customOptions(server)
  const replaced = new Set(custom.filter(({ vendorClass }) => vendorClass === null).map(({ code }) => code))
  return [
    ...rangeLines(place),
    origin(`${pathOf(entry)}.server`),
    ...[...fieldOptions(place, custom), ...portalOption(config, place)]
      // An option of the administrator replaces the same option of the other fields (docs/behaviour/dhcp.md 3).
      .filter(([code]) => !replaced.has(code))
      .map(([code, ...values]) => optionLine(place, false, [number(code), ...values])),
    ...bootLines(place),
    ...custom.flatMap(({ index, isForced, ...option }) => [
      origin(`${pathOf(entry)}.server.options[${index}].option`),
      optionLine(place, isForced, printOption(option)),
    ]),
  ]
}

const maskOf = ({ prefix }: Network): Dnsmasq => address(highestAddress - (2 ** (32 - prefix) - 1))

/** A network without ranges still serves those who are bound to an address of it. */
function rangeLines({ entry, server, network, tag }: ServedNetwork): Dnsmasq[] {
  const spans = server.ranges
    .map((range, index) => ({ index, span: parseSpan(range) }))
    .filter(({ span }) => span !== null && network.low <= span[0] && span[1] <= network.high)
  const line = (first: Dnsmasq, last: Dnsmasq): Dnsmasq =>
    directive('dhcp-range', prefixed('set', word(tag)), first, last, maskOf(network), word(`${server.lease_time}m`))
  if (spans.length === 0) return [origin(`${pathOf(entry)}.server`), line(address(network.low), word('static'))]
  return spans.flatMap(({ index, span }) => [
    origin(`${pathOf(entry)}.server.ranges[${index}]`),
    line(address(span?.[0] ?? 0), address(span?.[1] ?? 0)),
  ])
}

type CustomOption = DhcpOption & { readonly index: number; readonly isForced: boolean }

const customOptions = ({ options }: Server): CustomOption[] =>
  options.flatMap(({ enabled, forced, option }, index) => {
    const parsed = enabled ? parseOption(option) : ''
    return typeof parsed === 'string' ? [] : [{ ...parsed, index, isForced: forced }]
  })

const optionLine = ({ tag }: ServedNetwork, isForced: boolean, parts: readonly Dnsmasq[]): Dnsmasq =>
  directive(isForced ? 'dhcp-option-force' : 'dhcp-option', prefixed('tag', word(tag)), ...parts)

const codes = {
  router: 3,
  dns: 6,
  domain: 15,
  wins: 44,
  portal: 114,
  routes: 121,
  bootServer: 150,
  routesOfWindows: 249,
  wpad: 252,
}

type OptionParts = readonly [code: number, ...values: Dnsmasq[]]

/** What the fields of an entry announce. */
function fieldOptions({ server, network }: ServedNetwork, custom: readonly CustomOption[]): OptionParts[] {
  const addresses = (texts: readonly string[]): Dnsmasq[] => texts.map((text) => address(parseAddress(text) ?? 0))
  const own = address(network.address)
  const { gateway, dns, domain, wins, tftp_server } = server
  const routes = routeValues(server, routerOf(server, network, custom))
  return [
    [codes.router, ...(gateway === '' ? [own] : addresses([gateway]))],
    [codes.dns, ...(dns.length === 0 ? [own] : addresses(dns))],
    ...(domain === '' ? [] : [[codes.domain, quote(domain)] as const]),
    ...(wins.length === 0 ? [] : [[codes.wins, ...addresses(wins)] as const]),
    ...(routes.length === 0 ? [] : [[codes.routes, ...routes] as const, [codes.routesOfWindows, ...routes] as const]),
    ...(tftp_server === '' ? [] : [[codes.bootServer, ...addresses([tftp_server])] as const]),
    ...(server.wpad_enabled ? [[codes.wpad, quote(wpadUrl(network.address))] as const] : []),
  ]
}

/** Where devices ask whether they must sign in (RFC 8910), while hosts must. */
function portalOption(config: Config, { network }: ServedNetwork): OptionParts[] {
  const url = captivePortalUrl(config, printAddress(network.address))
  return url === null ? [] : [[codes.portal, quote(url)]]
}

/** The default gateway that clients get in the end; null when an option takes it away. */
function routerOf({ gateway }: Server, network: Network, custom: readonly CustomOption[]): number | null {
  const option = custom.find(({ code, vendorClass }) => code === codes.router && vendorClass === null)
  if (option) return parseAddress(option.values[0] ?? '')
  return gateway === '' ? network.address : parseAddress(gateway)
}

/** Clients that understand these routes do not look at the default gateway (RFC 3442), so it is one of them. */
function routeValues({ routes }: Server, router: number | null): Dnsmasq[] {
  if (routes.length === 0) return []
  const network = (low: number, prefix: number): Dnsmasq => word(`${address(low)}/${prefix}`)
  const own = routes.flatMap(({ destination, gateway }) => {
    const { low, prefix } = parseNetwork(destination) ?? { low: parseAddress(destination) ?? 0, prefix: 32 }
    return [network(low, prefix), address(parseAddress(gateway) ?? 0)]
  })
  return router === null ? own : [...own, network(0, 0), address(router)]
}

/** The fields of the message itself, and options 66 and 67 for those who ask. */
function bootLines({ tag, server: { tftp_server, tftp_filename } }: ServedNetwork): Dnsmasq[] {
  if (tftp_server === '' && tftp_filename === '') return []
  const file = tftp_filename === '' ? nothing : quote(tftp_filename)
  const boot = address(parseAddress(tftp_server) ?? 0)
  const where = tftp_server === '' ? [] : [boot, boot]
  return [directive('dhcp-boot', prefixed('tag', word(tag)), file, ...where)]
}

function printOption({ vendorClass, code, values, isText }: DhcpOption): Dnsmasq[] {
  const vendor = vendorClass === null ? [] : [prefixed('vendor', vendorClass === '' ? nothing : quote(vendorClass))]
  const isName = (value: string): boolean => domainCodes.has(code) && parseAddress(value) === null
  const single = (value: string): Dnsmasq => (isName(value) ? quote(value) : value === '' ? nothing : word(value))
  const printed = isText ? [quote(values.join(','))] : values.map(single)
  return [...vendor, codeWord(code), ...printed]
}

/** dnsmasq has a separate number for the address of the boot server in the message, and takes only the name. */
const codeWord = (code: number): Dnsmasq => (code === 255 ? word('option:server-ip-address') : number(code))

const hostLines = (config: Config, facts: Facts, served: readonly ServedNetwork[]): Dnsmasq[] =>
  bindingsOf(config, facts, served).map((binding) => host(binding.mac, binding.address))
