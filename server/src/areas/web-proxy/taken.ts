// Whether a web request of a client gets to the proxy, in words: for the explanation of the filter. The kernel decides by the
// same configuration (interception.ts). Pure.

import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { parseAddress, parseNetwork } from '../../shared/net/ipv4.ts'
import { contains } from '../../shared/net/ranges.ts'
import { say } from '../../shared/said.ts'
import { filteredSources, state as filterState, morphology, safeSearch } from '../content-filter/public.ts'
import { localAddresses } from '../network/public.ts'
import { addressesOf, domains, membersIn } from '../objects/public.ts'
import { antivirus, exclusions, settings } from './config.ts'

export interface AskedTraffic {
  /** Empty where it is not known. */
  readonly source: string
  readonly members: readonly string[]
  readonly host: string
  readonly port: number
}

export interface Taken {
  readonly isTaken: boolean
  readonly text: string
  readonly notes: readonly string[]
}

const taken = (text: string, ...notes: readonly string[]): Taken => ({ isTaken: true, text, notes })
const left = (text: string, ...notes: readonly string[]): Taken => ({ isTaken: false, text, notes })

const directNote = say`Through the direct proxy it is filtered all the same.`

export function isTakenBy(config: Config, facts: Facts, asked: AskedTraffic): Taken {
  const isDirect = read(config, settings).direct_enabled
  const notes = [
    ...(read(config, antivirus).enabled
      ? [say`The web antivirus checks what is downloaded in plain or decrypted form.`]
      : []),
  ]
  const direct = isDirect ? [directNote] : []
  if (!read(config, filterState).enabled) return left(say`The content filter is disabled.`)
  const address = parseAddress(asked.source)
  if (address !== null && !isLocal(config, facts, address))
    return left(say`${asked.source} is not in a local network, so the proxy does not take its traffic.`)
  if (asked.port !== 80 && asked.port !== 443)
    return isDirect
      ? taken(say`Only the direct proxy takes this port: without it the request is not filtered.`, ...notes)
      : left(say`The proxy takes connections to the ports 80 and 443 only.`)
  if (!concerns(config, facts, asked, address))
    return left(say`No rule, and nothing else of the filter, concerns this client.`, ...direct)
  const { sure, possible } = findExclusion(config, facts, asked, address)
  if (sure !== null) return left(say`Exclusion ${sure} of the web proxy leaves it alone.`, ...direct)
  const may = possible
    .slice(0, 5)
    .map((id) => say`Exclusion ${id} leaves it alone if the server has one of its addresses.`)
  return taken(say`The proxy takes the connection.`, ...may, ...notes)
}

const isLocal = (config: Config, facts: Facts, address: number): boolean =>
  [...localAddresses(config, facts).values()].flat().some((text) => {
    const network = parseNetwork(text)
    return network !== null && network.low <= address && address <= network.high
  })

function concerns(config: Config, facts: Facts, asked: AskedTraffic, address: number | null): boolean {
  if ([safeSearch, morphology, antivirus].some((slot) => read(config, slot).enabled)) return true
  const named = filteredSources(config)
  return named === null || isOneOf(config, facts, named, asked.members, address)
}

function isOneOf(
  config: Config,
  facts: Facts,
  ids: readonly string[],
  members: readonly string[],
  address: number | null,
): boolean {
  if (ids.includes('any')) return true
  const named = membersIn(config, ids)
  if (members.some((id) => named.includes(id))) return true
  return address !== null && contains(addressesOf(config, facts, ids), address)
}

/** What is certain, and what depends on the address that the name of the server has for the client. */
function findExclusion(config: Config, facts: Facts, asked: AskedTraffic, address: number | null) {
  const ofSource = read(config, exclusions).filter(
    ({ enabled, sources }) => enabled && isOneOf(config, facts, sources, asked.members, address),
  )
  const target = parseAddress(asked.host)
  const named = new Set(
    read(config, domains).flatMap(({ id, value }) => (value.toLowerCase() === asked.host ? [id] : [])),
  )
  const sure = ofSource.find(
    ({ destinations }) => isOneOf(config, facts, destinations, [], target) || destinations.some((id) => named.has(id)),
  )
  const possible = target === null ? ofSource.map(({ id }) => id) : []
  return { sure: sure?.id ?? null, possible }
}
