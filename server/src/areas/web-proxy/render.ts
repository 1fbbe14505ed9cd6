// The content filter as files and units: squid.conf, the authority, the rules that filterd decides with, and what the small web
// server shows to clients. squid.conf says ports, networks and switches; all else in it is applyd's. Pure.

import { engineFile, engineUnit, templateUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { markOf } from '../../core/plan/sealed.ts'
import { youtubeHosts } from '../../domain/web-filter/safe-search.ts'
import { webFilter, webPorts } from '../../engines/web-filter/index.ts'
import { address, directive, domain, lines, number, type Squid, word, words } from '../../engines/web-filter/squid.ts'
import { wpad } from '../../engines/wpad/index.ts'
import { printServedFile } from '../../engines/wpad/settings-file.ts'
import { state as filterState, policySlots, renderPolicy, safeSearch } from '../content-filter/public.ts'
import { announcedAddresses, entries } from '../dhcp/public.ts'
import { aggregated, connections, localNetworks } from '../network/public.ts'
import { authority, keyPlace, settings } from './config.ts'
import { inspectionLines } from './page-readers.ts'
import { renderAntivirus } from './render-antivirus.ts'
import { isRun, servedAddresses } from './resolve.ts'

/** Slots of other areas that decide what is rendered. */
export const readSlots = [...policySlots, connections, aggregated, entries]

export function render(config: Config, facts: Facts): Artifact[] {
  return [
    ...(isRun(config) ? proxyArtifacts(config, facts) : []),
    ...renderAntivirus(config),
    ...servedArtifacts(config, facts),
  ]
}

function proxyArtifacts(config: Config, facts: Facts): Artifact[] {
  const held = read(config, authority).authority
  if (held === null) return []
  const key = markOf({ form: 'pem', place: keyPlace, sealed: held.private_key.sealed })
  return [
    ...renderPolicy(config, facts, { onFailure: read(config, settings).on_failure }),
    engineFile(webFilter, 'web-authority.pem', `${held.certificate.trim()}\n${key}\n`),
    engineFile(webFilter, 'squid.conf', lines(proxyLines(config, facts))),
    engineUnit(webFilter, 'web-filter-proxy'),
  ]
}

const bumping = words('ssl-bump tls-cert=authority.pem generate-host-certificates=on dynamic_cert_mem_cache_size=16MB')

/** An ACL that always holds, or never. */
const when = (name: string, holds: boolean): Squid =>
  directive('acl', word(name), word('any-of'), word(holds ? 'all' : '!all'))

const acl = (name: string, kind: string, values: readonly Squid[]): Squid =>
  values.length === 0 ? when(name, false) : directive('acl', word(name), ...words(kind), ...values)

function proxyLines(config: Config, facts: Facts): Squid[] {
  const { direct_enabled, direct_port, logging_enabled, on_failure } = read(config, settings)
  const isFiltering = read(config, filterState).enabled
  const own = [
    ...new Set(facts.interfaces.flatMap(({ addresses }) => addresses.map((text) => text.split('/')[0] ?? ''))),
  ]
  return [
    ...(direct_enabled ? [directive('http_port', number(direct_port), word('name=direct'), ...bumping)] : []),
    directive('http_port', number(webPorts.http), ...words('tproxy name=http')),
    directive('https_port', number(webPorts.https), ...words('tproxy name=https'), ...bumping),
    acl('clients', 'src', localNetworks(config, facts).slice(0, mostNetworks).map(address)),
    acl('own', 'dst', own.toSorted().slice(0, mostNetworks).map(address)),
    when('fails_open', on_failure === 'pass'),
    when('logged', logging_enabled),
    acl(
      'strict_video',
      'dstdomain -n',
      isFiltering && read(config, safeSearch).enabled ? youtubeHosts.map(domain) : [],
    ),
    ...inspectionLines(config),
  ]
}

/** Of one line; a gateway with more local networks has them in one larger network. */
const mostNetworks = 64

/** What clients fetch without TLS: the certificate, and the proxy file that DHCP announces. */
function servedArtifacts(config: Config, facts: Facts): Artifact[] {
  const { direct_enabled, direct_port } = read(config, settings)
  const isOn = isRun(config)
  const addresses = [
    ...new Set([...(isOn ? servedAddresses(config, facts) : []), ...announcedAddresses(config, facts)]),
  ]
  if (addresses.length === 0) return []
  const held = read(config, authority).authority
  const text = printServedFile({
    certificate: isOn && held ? held.certificate : null,
    proxyPort: isOn && direct_enabled ? direct_port : null,
  })
  return [engineFile(wpad, 'wpad.json', text), ...addresses.map((ownAddress) => templateUnit(wpad, 'wpad', ownAddress))]
}
