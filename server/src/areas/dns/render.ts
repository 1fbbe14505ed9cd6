// The DNS server as files of unbound: its clients and servers, authoritative zones record by record, and the names that
// safe search and interception answer differently. What never depends on the configuration is added by engines/dns/applyd/.

import { engineFile, engineUnit, templateFile } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact, EngineFile } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { encryptedDnsNames } from '../../domain/policy/encrypted-dns.ts'
import { privateNetworks } from '../../domain/policy/model.ts'
import { dns } from '../../engines/dns/index.ts'
import {
  address,
  clause,
  directive,
  plainData,
  quoteName,
  quotePath,
  quoteText,
  type Unbound,
  word,
  zoneRecord,
} from '../../engines/dns/unbound.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { localNetworks } from '../network/public.ts'
import { safeSearch, settings } from './config.ts'
import type { MasterZone } from './contract.ts'
import { defaultZones } from './default-zones.ts'
import { machineNetworks, siteNetworks } from './held-back.ts'
import { enabledForwardZones, enabledOwnZones, externalServers } from './resolve.ts'
import { safeNames } from './safe-search.ts'
import { readZone } from './zone-file.ts'
import type { RecordType, ZoneRecord } from './zone-records.ts'

const policyZone = 'policy.rpz.'

export function render(config: Config, facts: Facts): Artifact[] {
  const own = enabledOwnZones(config)
  return [
    engineFile(dns, 'unbound.conf', configuration(config, facts)),
    engineFile(dns, 'unbound-policy.zone', policyRecords(config)),
    ...own.map(zoneFile),
    engineUnit(dns, 'dns'),
  ]
}

const yes = word('yes')
const no = word('no')
const absolute = (name: string): string => `${name.toLowerCase()}.`

function configuration(config: Config, facts: Facts): string {
  const own = enabledOwnZones(config)
  const forwarded = enabledForwardZones(config)
  const servers = externalServers(config, facts)
  const names = [...own, ...forwarded].map(({ name }) => absolute(name))
  return [
    clause('server', [
      ...localNetworks(config, facts).map((network) => directive('access-control', address(network), word('allow'))),
      // A server that leaves signatures out must not make every name fail (decision 28).
      directive('val-permissive-mode', servers.length > 0 ? yes : no),
      ...rebindProtection(servers),
      ...localZones(names),
      ...names.map((name) => directive('domain-insecure', quoteName(name))),
      ...names.map((name) => directive('private-domain', quoteName(name))),
    ]),
    ...(servers.length > 0 ? [forwardClause('.', servers)] : []),
    ...forwarded.map((zone) => forwardClause(absolute(zone.name), zone.servers)),
    ...own.flatMap(ownClauses),
    clause('rpz', [directive('name', quoteName(policyZone)), directive('zonefile', quotePath('policy.zone'))]),
  ].join('\n')
}

const forwardClause = (name: string, servers: readonly string[]): Unbound =>
  clause('forward-zone', [
    directive('name', quoteName(name)),
    ...servers.map((server) => directive('forward-addr', address(server))),
  ])

/**
 * Asked like any other zone, so that aliases which lead out of it are followed for the client. The stub zone without a
 * server takes the zone out of what is forwarded.
 */
const ownClauses = ({ id, name }: MasterZone): Unbound[] => [
  clause('stub-zone', [directive('name', quoteName(absolute(name)))]),
  clause('auth-zone', [
    directive('name', quoteName(absolute(name))),
    directive('zonefile', quotePath(`zones/${id}`)),
    directive('for-downstream', no),
    directive('for-upstream', yes),
    directive('fallback-enabled', no),
  ]),
]

/**
 * Public names that claim an address of this machine or of a local network are a way to reach them through a browser. A
 * private external server may well know names of local networks, but not of the machine that asks.
 */
const rebindProtection = (servers: readonly string[]): Unbound[] =>
  [...machineNetworks, ...(servers.some(isPrivate) ? [] : siteNetworks)].map((network) =>
    directive('private-address', address(network)),
  )

const privateRanges = privateNetworks.map((text) => parseNetwork(text))
function isPrivate(text: string): boolean {
  const value = parseAddress(text)
  return value !== null && privateRanges.some((network) => network && network.low <= value && value <= network.high)
}

/** Unbound answers for some zones by itself, such as reverse names of private networks; a zone of ours goes first. */
function localZones(names: readonly string[]): Unbound[] {
  const [own, usual] = [new Set(names), new Set(defaultZones)]
  const hidden = names.filter((name) => parentsOf(name).some((parent) => usual.has(parent)))
  const opened = defaultZones.filter((zone) => own.has(zone) || parentsOf(zone).some((parent) => own.has(parent)))
  // The servers that are asked know whether `test` exists; it is a name for tests, so it is not blocked here.
  return [
    ...[...new Set(['test.', ...opened])].map((zone) => directive('local-zone', quoteName(zone), word('nodefault'))),
    ...hidden.map((name) => directive('local-zone', quoteName(name), word('transparent'))),
  ]
}

/** `b.c.` and `c.` of `a.b.c.` */
function parentsOf(name: string): string[] {
  const labels = name.split('.').slice(0, -1)
  return labels.slice(1).map((_, at) => `${labels.slice(at + 1).join('.')}.`)
}

const policyTtl = 60

/** A response policy zone: `CNAME .` says that the name does not exist. */
function policyRecords(config: Config): string {
  const isIntercepting = read(config, settings).intercept_enabled
  const answers = [
    ...(isIntercepting ? encryptedDnsNames.map((name) => [name, '.'] as const) : []),
    ...(read(config, safeSearch).enabled ? safeNames.map(([name, target]) => [name, `${target}.`] as const) : []),
  ]
  return [
    zoneRecord(
      policyZone,
      policyTtl,
      'SOA',
      ['localhost.', 'root.localhost.', '1', '3600', '600', '86400', '60'].map(plainData),
    ),
    zoneRecord(policyZone, policyTtl, 'NS', [plainData('localhost.')]),
    ...answers.map(([name, target]) => zoneRecord(`${name}.${policyZone}`, policyTtl, 'CNAME', [plainData(target)])),
    '',
  ].join('\n')
}

/** Zones never change, so each is printed once. */
const printed = new WeakMap<MasterZone, EngineFile>()

/** The records, never the text they came from. */
function zoneFile(zone: MasterZone): EngineFile {
  const known = printed.get(zone)
  if (known !== undefined) return known
  const { records } = readZone(zone.name, zone.config)
  const authority = records.find(({ type }) => type === 'SOA')
  const usual = Number(authority?.data.at(-1) ?? 3600)
  const lines = records.map((record) => zoneRecord(record.name, record.ttl ?? usual, record.type, printData(record)))
  const file = templateFile(dns, 'unbound-zone', zone.id, `${lines.join('\n')}\n`)
  printed.set(zone, file)
  return file
}

/** Which fields are texts, by type. */
const texts: Partial<Record<RecordType, (at: number) => boolean>> = { TXT: () => true, CAA: (at) => at === 2 }

const printData = ({ type, data }: ZoneRecord): Unbound[] =>
  data.map((value, at) => (texts[type]?.(at) ? quoteText(value) : plainData(value)))
