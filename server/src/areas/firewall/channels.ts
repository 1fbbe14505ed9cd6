// The channels of inspection: what is looked for in accepted connections. Rules with the same profiles share one. Its number is
// kept in the facts, because open connections carry it. Pure but for what it remembers of lists of rules.

import { makingOf } from '../../core/model/runs.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { inspection } from '../../core/plan/inspection-marks.ts'
import { rules as olderRules } from '../application-control/public.ts'
import { state as preventionState } from '../intrusion-prevention/public.ts'
import { forwardRules, inputRules, ruleSlots, state } from './config.ts'
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

/** Slots that decide which channels are in use. */
export const channelSlots = [state, forwardRules, inputRules, olderRules, preventionState] as const

export const channelKey = ({ prevention, applications, older }: Channel): string =>
  `${prevention} ${applications} ${older ?? ''}`

type Inspected = Pick<Rule, 'action'> &
  Partial<Pick<Rule, 'dpi_enabled' | 'dpi_profile' | 'ips_enabled' | 'ips_profile'>>

/** What a rule says of inspection by itself: the profiles that it asks for. '' when it asks for none. */
export function askedBy({ action, ips_enabled, ips_profile, dpi_enabled, dpi_profile }: Inspected): string {
  if (action !== 'accept' || !(ips_enabled || dpi_enabled)) return ''
  const asked = `${ips_enabled ? (ips_profile ?? '') : ''} ${dpi_enabled ? (dpi_profile ?? '') : ''}`
  return asked === ' ' ? '' : asked
}

const noChannel: Channel = { prevention: '', applications: '', older: null }

/** What is asked for becomes a channel while intrusion prevention is on; application control needs no switch. */
function channelFor(config: Config, asked: string): Channel | null {
  const [named = '', applications = ''] = asked.split(' ')
  const prevention = read(config, preventionState).enabled ? named : ''
  return prevention === '' && applications === '' ? null : { prevention, applications, older: null }
}

/** In which an accepted connection of the rule is inspected; null in none. */
export const channelOf = (config: Config, rule: Inspected): Channel | null => channelFor(config, askedBy(rule))

const askedIn = new WeakMap<readonly Rule[], ReadonlySet<string>>()

/** What the enabled rules of a list ask for, in the order in which it is first named. Ten thousand are looked through once. */
function askedInList(list: readonly Rule[]): ReadonlySet<string> {
  const known = askedIn.get(list)
  if (known !== undefined) return known
  const asked = new Set<string>()
  const making = makingOf(list)
  const looked = making !== null && askedIn.get(making.old)?.size === 0 ? making.fresh : list
  for (const rule of looked) if ((rule.ips_enabled || rule.dpi_enabled) && rule.enabled) asked.add(askedBy(rule))
  asked.delete('')
  askedIn.set(list, asked)
  return asked
}

const askedInAll = (config: Config): ReadonlySet<string> =>
  new Set((['forward', 'input'] as const).flatMap((table) => [...askedInList(read(config, ruleSlots[table]))]))

/** Every channel that enabled rules ask for, without repetition, in the order in which they are first named. */
export function channelsOf(config: Config): readonly Channel[] {
  if (!read(config, state).enabled) return []
  const found = new Map<string, Channel>()
  const note = (channel: Channel): void => {
    const key = channelKey(channel)
    if (!found.has(key)) found.set(key, channel)
  }
  for (const asked of askedInAll(config)) {
    const channel = channelFor(config, asked)
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

/** The number of the channel by what rules ask for (`askedBy`). */
export type ChannelNumbers = ReadonlyMap<string, number>

export function channelNumbers(config: Config, facts: Facts): ChannelNumbers {
  const numbers = new Map(numberedChannels(config, facts).map((channel) => [channelKey(channel), channel.number]))
  if (numbers.size === 0) return numbers
  return new Map(
    [...askedInAll(config)].flatMap((asked) => {
      const channel = channelFor(config, asked)
      const number = channel === null ? undefined : numbers.get(channelKey(channel))
      return number === undefined ? [] : [[asked, number] as const]
    }),
  )
}
