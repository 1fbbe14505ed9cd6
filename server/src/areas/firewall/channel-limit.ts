// How many channels of inspection there may be. Pure.

import type { Problem } from '../../core/contract/error.ts'
import { pathOf } from '../../core/model/paths.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { inspection } from '../../core/plan/inspection-marks.ts'
import { say } from '../../shared/said.ts'
import { rules as olderRules } from '../application-control/public.ts'
import { channelKey, channelOf, channelsOf } from './channels.ts'
import { ruleSlots } from './config.ts'

const message = say`At most ${inspection.mostChannels} different ways to inspect are possible at once: pairs of profiles that rules name, and these again for each application control rule.`

/** A fault of each rule that is the first to ask for one more than there can be. */
export function channelProblems(config: Config): Problem[] {
  const channels = channelsOf(config)
  if (channels.length <= inspection.mostChannels) return []
  const excess = new Map(channels.slice(inspection.mostChannels).map((channel) => [channelKey(channel), channel]))
  const problems: Problem[] = [...excess.values()].flatMap(({ older }) =>
    older === null ? [] : [{ field: pathOf(olderRules, older), message }],
  )
  for (const table of ['forward', 'input'] as const)
    for (const rule of read(config, ruleSlots[table])) {
      const channel = rule.enabled ? channelOf(config, rule) : null
      if (channel === null || !excess.delete(channelKey(channel))) continue
      const field = channel.prevention === '' ? 'dpi_profile' : 'ips_profile'
      problems.push({ field: `${pathOf(ruleSlots[table], rule.id)}.${field}`, message })
    }
  return problems.filter(({ field }, at) => problems.findIndex((other) => other.field === field) === at)
}
