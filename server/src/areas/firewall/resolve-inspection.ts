// What inspection means for the ruleset: the channels in use, who is excepted, and the rules of the older application control. Pure.

import { pathOf } from '../../core/model/paths.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { AddressMatch, InspectionStage, OlderInspection } from '../../domain/policy/model.ts'
import { noRanges } from '../../shared/net/ranges.ts'
import { rules as olderRules } from '../application-control/public.ts'
import { failures } from '../inspection/public.ts'
import { addressesOf, membersIn, unresolvedNames } from '../objects/public.ts'
import { type Channel, channelKey, type NumberedChannel, numberedChannels } from './channels.ts'
import { bypassList } from './config.ts'
import { keyOf } from './resolve-rules.ts'

/** Slots of other areas that it looks at, beside those of the channels and of objects. */
export const inspectionSlots = [failures] as const

/** Null while nothing is inspected. */
export function inspectionStage(config: Config, facts: Facts): InspectionStage | null {
  const channels = numberedChannels(config, facts).toSorted((a, b) => a.number - b.number)
  if (channels.length === 0) return null
  const blocking = blockingProfiles(config)
  const ready = new Set(facts.inspection?.ready)
  return {
    channels: channels.map((channel) => ({
      number: channel.number,
      isFailOpen: !failsClosed(channel, blocking),
      isReady: ready.has(channel.number),
    })),
    exceptions: read(config, bypassList).flatMap(({ id, enabled, aliases }) => {
      const hosts = enabled ? hostsOf(config, facts, aliases) : null
      return hosts === null ? [] : [{ origin: pathOf(bypassList, id), hosts }]
    }),
    older: olderOf(config, facts, channels),
  }
}

export const blockingProfiles = (config: Config): ReadonlySet<string> =>
  new Set(read(config, failures).flatMap(({ id, on_failure }) => (on_failure === 'block' ? [id] : [])))

export const failsClosed = ({ prevention, applications }: Channel, blocking: ReadonlySet<string>): boolean =>
  blocking.has(prevention) || blocking.has(applications)

function olderOf(config: Config, facts: Facts, channels: readonly NumberedChannel[]): OlderInspection[] {
  const numbers = new Map(channels.map((channel) => [channelKey(channel), channel.number]))
  return read(config, olderRules).flatMap(({ id, enabled, aliases }) => {
    if (!enabled) return []
    // From each channel that such a rule may add to; 0 is not one.
    const from = [
      { prevention: '', applications: '', older: null, number: 0 },
      ...channels.filter(({ applications, older }) => applications === '' && older === null),
    ]
    const steps = from.flatMap(({ number, prevention }) => {
      const to = numbers.get(channelKey({ prevention, applications: '', older: id }))
      return to === undefined ? [] : [[number, to] as const]
    })
    const hosts = aliases.includes('any') ? null : (hostsOf(config, facts, aliases) ?? noHosts)
    return [{ origin: pathOf(olderRules, id), hosts, channels: Object.fromEntries(steps) }]
  })
}

const noHosts: AddressMatch = { key: 'none', ranges: noRanges, isNegated: false }

function hostsOf(config: Config, facts: Facts, ids: readonly string[]): AddressMatch | null {
  if (ids.length === 0) return null
  const unresolved = unresolvedNames(config, facts, ids)
  const members = membersIn(config, ids)
  return {
    key: keyOf(ids),
    ranges: addressesOf(config, facts, ids),
    isNegated: false,
    ...(unresolved.length > 0 ? { unresolved } : {}),
    ...(members.length > 0 ? { members } : {}),
  }
}

/** Does an exception or an older rule name a user or a group? */
export const namesMembersIn = (stage: InspectionStage | null): boolean =>
  stage !== null && [...stage.exceptions, ...stage.older].some(({ hosts }) => hosts?.members !== undefined)
