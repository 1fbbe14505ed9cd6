// What is looked for in each channel of inspection: the rules of its profile of intrusion prevention and the applications that are
// denied. From this the rules of the engine are made (areas/inspection/runs). Pure.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { ProfileRule } from '../../domain/signatures/profile.ts'
import { rules as olderRules } from '../application-control/public.ts'
import { profiles as applicationProfiles } from '../application-profiles/public.ts'
import { rulesOfProfile } from '../intrusion-prevention/public.ts'
import { type Channel, channelKey, channelsOf, numberChannels } from './channels.ts'
import { ruleSlots, state } from './config.ts'
import { blockingProfiles, failsClosed } from './resolve-inspection.ts'

export interface ChannelContents extends Channel {
  readonly key: string
  readonly number: number
  readonly rules: readonly ProfileRule[]
  readonly denied: readonly string[]
  /** Neither of its profiles blocks while the engine does not run. */
  readonly isFailOpen: boolean
}

/** Of every channel in use. `numbers` are the known ones, by key. */
export function channelContents(config: Config, numbers: Readonly<Record<string, number>>): ChannelContents[] {
  const blocking = blockingProfiles(config)
  return numberChannels(channelsOf(config), numbers).map((channel) => ({
    ...channel,
    key: channelKey(channel),
    rules: channel.prevention === '' ? [] : rulesOfProfile(config, channel.prevention),
    denied: deniedIn(config, channel),
    isFailOpen: !failsClosed(channel, blocking),
  }))
}

function deniedIn(config: Config, { applications, older }: Channel): string[] {
  const profile = applications === '' ? undefined : findIn(config, applicationProfiles, applications)
  const ofProfile = (profile?.protocols ?? []).filter(({ action }) => action === 'deny').map(({ id }) => id)
  return [...new Set([...ofProfile, ...(older === null ? [] : deniedByOlder(config, older))])].toSorted()
}

/**
 * The rules are asked in their order from this one on; the first that names an application decides. Of the later ones only those count
 * that are for everyone whom this one is for.
 */
function deniedByOlder(config: Config, from: number): string[] {
  const rules = read(config, olderRules)
  const first = rules.find(({ id }) => id === from)
  if (!first) return []
  const decided = new Map<string, 'drop' | 'accept'>()
  for (const { enabled, aliases, protocols, action } of rules.slice(rules.indexOf(first))) {
    const isForAll = aliases.includes('any') || first.aliases.every((alias) => aliases.includes(alias))
    if (enabled && isForAll) for (const id of protocols) if (!decided.has(id)) decided.set(id, action)
  }
  return [...decided].filter(([, action]) => action === 'drop').map(([id]) => id)
}

/** How many enabled rules name each profile for inspection, by the id of the profile. */
export function rulesByProfile(config: Config): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const note = (id: string | undefined): void => {
    if (id) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  if (!read(config, state).enabled) return counts
  for (const table of ['forward', 'input'] as const)
    for (const rule of read(config, ruleSlots[table])) {
      if (!rule.enabled || rule.action !== 'accept' || !('ips_enabled' in rule)) continue
      if (rule.ips_enabled) note(rule.ips_profile)
      if (rule.dpi_enabled) note(rule.dpi_profile)
    }
  return counts
}
