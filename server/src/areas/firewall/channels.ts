// The channels of inspection: what is looked for in accepted connections. Rules with the same profiles share one. Its number is
// kept in the facts, because open connections carry it. Pure.

import { type Config, read } from '../../model/slots.ts'
import type { Facts } from '../../plan/facts.ts'
import { inspection } from '../../plan/inspection.ts'
import { rules as olderRules } from '../application-control/public.ts'
import { state as preventionState } from '../intrusion-prevention/public.ts'
import { ruleSlots, state } from './config.ts'
import type { Rule } from './contract.ts'

export interface Channel {
  /** Profile of intrusion prevention; '' for none. */
  readonly prevention: string
  /** Profile of application control; '' for none. */
  readonly applications: string
  /** Rule of the older application control, from which on its rules are asked; null for none. */
  readonly older: number | null
}

export interface NumberedChannel extends Channel {
  readonly number: number
}

export const channelKey = ({ prevention, applications, older }: Channel): string =>
  `${prevention} ${applications} ${older ?? ''}`

type Inspected = Pick<Rule, 'action' | 'dpi_enabled' | 'dpi_profile' | 'ips_enabled' | 'ips_profile'>

/** In which an accepted connection of the rule is inspected; null in none. */
export function channelOf(config: Config, rule: Inspected): Channel | null {
  if (rule.action !== 'accept') return null
  const prevention = rule.ips_enabled && read(config, preventionState).enabled ? (rule.ips_profile ?? '') : ''
  const applications = rule.dpi_enabled ? (rule.dpi_profile ?? '') : ''
  return prevention === '' && applications === '' ? null : { prevention, applications, older: null }
}

const noChannel: Channel = { prevention: '', applications: '', older: null }

/** Every channel that enabled rules ask for, without repetition, in the order in which they are first named. */
export function channelsOf(config: Config): readonly Channel[] {
  if (!read(config, state).enabled) return []
  const found = new Map<string, Channel>()
  const note = (channel: Channel): void => {
    const key = channelKey(channel)
    if (!found.has(key)) found.set(key, channel)
  }
  for (const table of ['forward', 'input'] as const)
    for (const rule of read(config, ruleSlots[table])) {
      const channel = rule.enabled ? channelOf(config, rule as Inspected) : null
      if (channel !== null) note(channel)
    }
  // Where a firewall rule names a profile of applications, the older rules are not asked.
  const withoutApplications = [noChannel, ...[...found.values()].filter(({ applications }) => applications === '')]
  for (const { id, enabled } of read(config, olderRules))
    if (enabled) for (const channel of withoutApplications) note({ ...channel, older: id })
  return [...found.values()]
}

/**
 * Channels with their numbers: those of the facts where they are known, the others get numbers that no channel has, the lowest that were
 * never used first. Channels for which no number is left are not in it.
 */
export function numberChannels(
  channels: readonly Channel[],
  known: Readonly<Record<string, number>>,
): NumberedChannel[] {
  const wanted = new Set(channels.map(channelKey))
  const inUse = new Set(Object.entries(known).flatMap(([key, number]) => (wanted.has(key) ? [number] : [])))
  const ever = new Set(Object.values(known))
  const all = Array.from({ length: inspection.mostChannels }, (_, index) => index + 1)
  const free = [
    ...all.filter((number) => !ever.has(number)),
    ...all.filter((number) => ever.has(number) && !inUse.has(number)),
  ]
  return channels.flatMap((channel) => {
    const number = known[channelKey(channel)] ?? free.shift()
    return number === undefined ? [] : [{ ...channel, number }]
  })
}

export const numberedChannels = (config: Config, { inspection: known }: Facts): readonly NumberedChannel[] =>
  numberChannels(channelsOf(config), known?.numbers ?? {})
