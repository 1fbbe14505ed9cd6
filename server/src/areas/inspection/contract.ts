// Deep inspection as a whole: what profiles do while the engine does not run, and what the engine does now (docs/behaviour/inspection.md).
// Additions of ours: the interface of intrusion prevention and application control has no calls for them.

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, Spoken, strictObject } from '../../core/contract/fields.ts'
import { inspectionStates } from '../../core/contract/inspection-state.ts'
import { Type } from '../../core/contract/schema.ts'

export const failureActions = ['pass', 'block'] as const

const onFailure = oneOf(
  failureActions,
  'What happens to connections of the profile while the inspection engine does not run: let them pass, or block them.',
)

/** Stored: `id` is that of the profile. */
export const ProfileFailure = strictObject({ id: Type.String(), on_failure: oneOf(failureActions) })
export type ProfileFailure = Static<typeof ProfileFailure>

export const profileStates = ['unused', 'waiting', 'loading', 'active', 'failed'] as const

const InspectedProfile = strictObject({
  id: Type.String(),
  kind: oneOf(['ips', 'application'], 'ips: intrusion prevention. application: application control.'),
  name: Type.String(),
  on_failure: onFailure,
  rules: Type.Integer({ description: 'Number of enabled firewall rules that inspect with it.' }),
  state: oneOf(
    profileStates,
    'unused: nothing is inspected with it. waiting: not inspected yet. loading: inspected with its rules from before. ' +
      'active: seen to be in force. failed: not in force.',
  ),
})
export type InspectedProfile = Static<typeof InspectedProfile>

export const inspectedProfiles = {
  list: endpoint({
    method: 'GET',
    path: '/inspection/profiles',
    access: 'view',
    summary: 'List the profiles of intrusion prevention and application control with what inspection does with them',
    reply: Type.Array(InspectedProfile),
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/inspection/profiles/:profile_id',
    access: 'firewall',
    summary: 'Change what happens to connections of a profile while the inspection engine does not run',
    body: strictObject({ on_failure: onFailure }),
  }),
}

const Channel = strictObject({
  number: Type.Integer(),
  ips_profile: nullable(Type.String({ description: 'Name of the profile.' })),
  application_profile: nullable(Type.String({ description: 'Name of the profile.' })),
  application_rule: nullable(
    Type.Integer({ description: 'Rule of the older application control, from which on its rules are asked.' }),
  ),
  on_failure: onFailure,
  ready: Type.Boolean({ description: 'The engine was seen to inspect it, so its packets are handed to the engine.' }),
  last_test: nullable(Type.Integer({ 'x-time': 'unix' })),
  in_force: nullable(Type.String({ description: 'Generation of the rules that the last test found in force.' })),
  message: Type.String(),
})

const Channels = strictObject({
  state: oneOf(
    inspectionStates,
    'off: nothing is inspected. waiting: something else comes first. compiling: the first rules are made. loading: the ' +
      'newest rules are not in force yet. active: they were seen in force in every channel. failed: they are not in force.',
  ),
  message: Type.String(),
  generation: nullable(Type.String({ description: 'Of the rules that should be in force.' })),
  signatures: nullable(Type.Integer({ description: 'Signatures in these rules.' })),
  rules: nullable(Type.Integer({ description: 'Rules that the engine has, copies for different actions included.' })),
  failed: Type.Array(strictObject({ sid: Type.Integer(), name: Type.String(), reason: Type.String() }), {
    description: 'Signatures that the engine refused, then those that were left out; the first 200.',
  }),
  refused: Type.Integer({ description: 'Rules that the engine refused. One of them makes the state failed.' }),
  version: nullable(Type.String({ description: 'Of the engine.' })),
  uninspected: nullable(
    strictObject(
      {
        passed: Type.Integer({
          description: 'Passed without inspection, while the engine did not run or more came than it took.',
        }),
        lost: Type.Integer({
          description: 'Lost because more came than the engine took, in channels that may pass without it.',
        }),
        lost_blocked: Type.Integer({ description: 'The same in channels that are blocked without the engine.' }),
        overrun: Type.Boolean({
          description: 'More comes than the engine takes: what may pass without it passes by it for up to a minute.',
        }),
      },
      'Packets since the apply service started; null when that is not known.',
    ),
  ),
  channels: Type.Array(Channel),
  sentences: Type.Optional(Spoken),
  counters: Type.Record(Type.String(), Type.Integer(), {
    description: 'What the engine counted since its start, such as decoder.pkts.',
  }),
})
export type Channels = Static<typeof Channels>

export const channels = endpoint({
  method: 'GET',
  path: '/inspection/channels',
  access: 'view',
  summary: 'Show what the inspection engine does now',
  description:
    'A channel is what is looked for in a connection. Every ten seconds each one is tested with real packets.',
  reply: Channels,
})
