// Which web traffic the kernel leads to the proxy, from the configuration: the stage of the ruleset, the ports of the gateway
// that belong to it, and the routing it needs. Pure.

import type { ClosedPort } from '../../core/engine/views.ts'
import { pathOf } from '../../core/model/paths.ts'
import { type Config, read, type Slot } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { LocalSide } from '../../domain/policy/local-side.ts'
import type {
  AddressMatch,
  GuardedPort,
  Span,
  WebExclusion,
  WebInterception,
  WebStage,
} from '../../domain/policy/model.ts'
import { webPorts } from '../../engines/web-filter/index.ts'
import { parseNetwork } from '../../shared/net/ipv4.ts'
import { noRanges, toRanges } from '../../shared/net/ranges.ts'
import {
  filteredSources,
  rules as filterRules,
  settings as filterSettings,
  state as filterState,
  morphology,
  safeSearch,
  start,
} from '../content-filter/public.ts'
import { localAddresses } from '../network/public.ts'
import { addressesOf, membersIn, unresolvedNames } from '../objects/public.ts'
import { antivirus, exclusions, settings } from './config.ts'

/** Where the proxy listens for what is led to it. */
const interceptedPorts = { http: webPorts.http, https: webPorts.https } as const

/** What the stage depends on, beside objects and the network. */
export const webStageSlots: readonly Slot[] = [
  filterState,
  filterSettings,
  filterRules,
  safeSearch,
  morphology,
  start,
  settings,
  exclusions,
  antivirus,
]

/** `facts` have the addresses that users have by authorization rules. Null while nothing of it is on. */
export function webStage(config: Config, facts: Facts, side: LocalSide): WebStage | null {
  const { direct_enabled, direct_port } = read(config, settings)
  const isFiltering = read(config, filterState).enabled
  if (!isFiltering && !direct_enabled) return null
  return {
    side,
    networks: [...localAddresses(config, facts)].map(([device, texts]) => ({
      device,
      ranges: toRanges(
        texts.flatMap((text): Span[] => {
          const network = parseNetwork(text)
          return network === null ? [] : [[network.low, network.high]]
        }),
      ),
    })),
    interception: isFiltering ? interceptionOf(config, facts) : null,
    directPort: direct_enabled ? direct_port : null,
  }
}

function interceptionOf(config: Config, facts: Facts): WebInterception {
  const isFailingOpen = facts.webProxy === 'down' && read(config, settings).on_failure === 'pass'
  const sources = sourcesOf(config, facts)
  return {
    isTaking: !isFailingOpen && !isEmpty(sources),
    sources,
    exclusions: read(config, exclusions)
      .filter(({ enabled }) => enabled)
      .map(
        (one): WebExclusion => ({
          origin: pathOf(exclusions, one.id),
          sources: matchOf(config, facts, one.sources, `web_xs_${keyOf(one.id)}`),
          destinations: matchOf(config, facts, one.destinations, `web_xd_${keyOf(one.id)}`),
        }),
      )
      // A list that holds nothing now excludes nothing.
      .filter((one) => !isEmpty(one.sources) && !isEmpty(one.destinations)),
    ports: interceptedPorts,
    rejectsQuic: read(config, filterSettings).quic_reject_enabled,
    ...(facts.webProxy === 'up' ? { isAnswering: true } : {}),
  }
}

const keyOf = (id: string): string => id.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')

const isEmpty = (match: AddressMatch | null): boolean =>
  match !== null && match.ranges.length === 0 && (match.members ?? []).length === 0

/** Null: everyone. What is not for some rules alone concerns all. */
function sourcesOf(config: Config, facts: Facts): AddressMatch | null {
  const isForAll = [safeSearch, morphology, antivirus].some((slot) => read(config, slot).enabled)
  const named = isForAll ? null : filteredSources(config)
  return named === null ? null : matchOf(config, facts, named, 'web_sources')
}

function matchOf(config: Config, facts: Facts, ids: readonly string[], key: string): AddressMatch | null {
  if (ids.includes('any')) return null
  if (ids.length === 0) return { key, ranges: noRanges, isNegated: false }
  const unresolved = unresolvedNames(config, facts, ids)
  const members = membersIn(config, ids)
  return {
    key,
    ranges: addressesOf(config, facts, ids),
    isNegated: false,
    ...(unresolved.length > 0 ? { unresolved } : {}),
    ...(members.length > 0 ? { members } : {}),
  }
}

/** What is sent to the gateway itself at these ports was not led there, and no one may. */
export const guardedWebPorts = (stage: WebStage | null): readonly GuardedPort[] =>
  stage === null
    ? []
    : Object.entries(interceptedPorts).map(([name, destinationPort]) => ({
        name: `web_${name}`,
        title: 'web proxy',
        protocol: 'tcp',
        destinationPort,
        peers: noRanges,
        isOpenOutside: false,
      }))

/** The direct proxy is for local networks, whatever the rules of administrators say. */
export const closedWebPorts = (stage: WebStage | null): readonly ClosedPort[] =>
  stage === null || stage.directPort === null
    ? []
    : [
        {
          name: 'web_proxy_outside',
          title: 'web proxy',
          networks: 'local',
          way: 'input',
          protocol: 'tcp',
          sourcePort: null,
          destinationPort: stage.directPort,
        },
      ]
