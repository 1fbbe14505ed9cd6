// What inspection does with each profile and channel now, from what was tested.

import type { ChannelState, InspectionState } from '../../core/contract/inspection-state.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Observation } from '../../core/plan/artifacts.ts'
import { type QueueObservation, queuesIn } from '../../engines/inspection/observed.ts'
import { profiles as applicationProfiles } from '../application-profiles/public.ts'
import { allProfiles } from '../intrusion-prevention/public.ts'
import { failures } from './config.ts'
import type { Channels, InspectedProfile } from './contract.ts'

type Failure = InspectedProfile['on_failure']

const failuresOf = (config: Config): ((id: string) => Failure) => {
  const stored = new Map(read(config, failures).map(({ id, on_failure }) => [id, on_failure]))
  return (id) => stored.get(id) ?? 'pass'
}

/** `rules` is the number of enabled firewall rules by the id of the profile that they inspect with. */
export function showProfiles(
  config: Config,
  state: InspectionState,
  rules: ReadonlyMap<string, number>,
): InspectedProfile[] {
  const failureOf = failuresOf(config)
  const show = (kind: InspectedProfile['kind'], { id, name }: { id: string; name: string }): InspectedProfile => {
    const own = state.channels.filter((one) => (kind === 'ips' ? one.prevention : one.applications) === id)
    return { id, kind, name, on_failure: failureOf(id), rules: rules.get(id) ?? 0, state: profileState(state, own) }
  }
  return [
    ...allProfiles(config).map((profile) => show('ips', profile)),
    ...read(config, applicationProfiles).map((profile) => show('application', profile)),
  ]
}

function profileState(state: InspectionState, own: readonly ChannelState[]): InspectedProfile['state'] {
  if (own.length === 0) return 'unused'
  // Whose rules they are is not known: copies are shared.
  if (state.refusedCount > 0) return 'failed'
  const isNewest = ({ inForce }: ChannelState): boolean => inForce !== null && inForce === state.generation
  // No channel is missing: the engine starts again for other settings, or rules are still made.
  const isAwaited = state.state === 'loading' && state.channels.every(isNewest)
  if (own.every(isNewest) && !isAwaited) return 'active'
  if (state.state === 'failed') return 'failed'
  return own.every(({ inForce }) => inForce !== null) ? 'loading' : 'waiting'
}

function showUninspected(queues: QueueObservation | undefined): Channels['uninspected'] {
  if (!queues) return null
  const { passed, lost, isOverrun } = queues
  return { passed, lost: lost.open, lost_blocked: lost.closed, overrun: isOverrun }
}

export function showChannels(config: Config, state: InspectionState, observation: Observation | null): Channels {
  const preventionNames = new Map(allProfiles(config).map(({ id, name }) => [id, name]))
  const applicationNames = new Map(read(config, applicationProfiles).map(({ id, name }) => [id, name]))
  const { failedCount, refusedCount, channels: listed, failed, counters, ...rest } = state
  return {
    ...rest,
    refused: refusedCount,
    uninspected: showUninspected(queuesIn(observation)),
    failed: failed.slice(0, 200),
    counters: { ...counters },
    channels: listed.map(
      ({ number, prevention, applications, older, isFailOpen, ready, lastTestAt, inForce, message }) => ({
        number,
        ips_profile: prevention === '' ? null : (preventionNames.get(prevention) ?? prevention),
        application_profile: applications === '' ? null : (applicationNames.get(applications) ?? applications),
        application_rule: older,
        on_failure: isFailOpen ? 'pass' : 'block',
        ready,
        last_test: lastTestAt,
        in_force: inForce,
        message,
      }),
    ),
  }
}
