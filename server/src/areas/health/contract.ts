// Health of the gateway: checks, metrics, charts and who is notified (docs/behaviour/health.md).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, Spoken, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { healthStates } from '../../core/contract/health.ts'
import { Type } from '../../core/contract/schema.ts'

export { mailTargets, testMail, testWebhook, webhooks } from './contract-notifications.ts'

const State = oneOf(healthStates, 'unknown: it could not be looked at now.')
const Seconds = Type.Integer({ minimum: 0, maximum: 2 ** 40, 'x-time': 'unix', description: 'Unix seconds.' })

const Sentences = Type.Array(
  strictObject({
    text: Type.String({
      description: 'Always the same for the same sentence, with {0} in the place of the first value.',
    }),
    values: Type.Array(Type.String()),
  }),
)

export const HealthCheck = strictObject({
  id: Type.String({ description: 'The same for the same thing at all times, such as unit.dns.' }),
  title: Type.String(),
  state: State,
  since: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds: since when it is in this state.' }),
  message: Type.String(),
  advice: Type.String({ description: 'What to do; may be empty.' }),
  says: strictObject(
    { title: Sentences, message: Sentences, advice: Sentences },
    'The same sentence by sentence, to be said in another language.',
  ),
  sentences: Type.Optional(Spoken),
})
export type HealthCheck = Static<typeof HealthCheck>

export const Counts = strictObject({
  ok: Type.Integer(),
  warning: Type.Integer(),
  failed: Type.Integer(),
  unknown: Type.Integer(),
})

export const showHealth = endpoint({
  method: 'GET',
  path: '/health',
  access: 'view',
  summary: 'Show all health checks',
  description: 'Everything is looked at every 10 seconds. The state is the worst of those of the checks.',
  reply: strictObject({ state: State, counts: Counts, checks: Type.Array(HealthCheck) }),
})

export const showSummary = endpoint({
  method: 'GET',
  path: '/health/summary',
  access: 'view',
  summary: 'Show how many health checks are in which state',
  reply: strictObject({ state: State, counts: Counts }),
})

export const showStatus = endpoint({
  method: 'GET',
  path: '/health/status',
  access: 'view',
  summary: 'Show whether health is watched and notifications are delivered',
  reply: Type.Array(StatusItem),
})

export const Conflict = strictObject({
  code: Type.String({ description: 'The same for the same thing at all times, such as port.53.' }),
  severity: oneOf(
    ['fault', 'warning', 'note'],
    'fault: something does not work now; warning: it will not work at some time; note: good to know.',
  ),
  title: Type.String(),
  detail: Type.String(),
  fix: Type.String({ description: 'A command for root, or what to do.' }),
  sentences: Type.Optional(Spoken),
})
export type Conflict = Static<typeof Conflict>

export const showConflicts = endpoint({
  method: 'GET',
  path: '/machine/conflicts',
  access: 'view',
  summary: 'Show what of the machine gets in the way of the gateway',
  description:
    'Other programs on our ports, rules of other firewalls that drop what ours accept, other managers of our cards, profiles of ' +
    'AppArmor. The machine is looked at now, or was some seconds ago.',
  reply: Type.Array(Conflict),
})

export const showMetrics = endpoint({
  method: 'GET',
  path: '/metrics',
  access: 'public',
  takesToken: true,
  summary: 'Show metrics for a monitoring server',
  description:
    'Text exposition format 0.0.4 of Prometheus. Needs no session but the header `Authorization: Bearer <token>` with the token of ' +
    '`POST /health/metrics_token`. Without a token every call gets 401.',
  reply: Type.String(),
  alsoReplies: ['text/plain'],
  errors: ['unauthenticated'],
})

export const metricsToken = {
  show: endpoint({
    method: 'GET',
    path: '/health/metrics_token',
    access: 'view',
    summary: 'Show whether there is a token for metrics',
    reply: strictObject({
      enabled: Type.Boolean(),
      created_at: nullable(Type.Integer({ 'x-time': 'unix', description: 'Unix seconds.' })),
      created_by: nullable(Type.String()),
    }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/health/metrics_token',
    access: 'configure',
    effect: 'action',
    needsFreshSignIn: true,
    summary: 'Make a token for metrics',
    description: 'The token is shown once. The one before is not valid any more.',
    reply: strictObject({ bearer: Type.String({ 'x-secret': true, description: 'The token.' }) }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/health/metrics_token',
    access: 'configure',
    effect: 'action',
    errors: ['not_found'],
    summary: 'Remove the token for metrics',
    description: 'Metrics are off from then on.',
  }),
}

export const chartGroups = ['cpu', 'memory', 'load', 'connections', 'users', 'sessions', 'interfaces', 'disks'] as const
export type ChartGroup = (typeof chartGroups)[number]

const Point = strictObject({
  time: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds of the begin of the step.' }),
  min: Type.Number(),
  avg: Type.Number(),
  max: Type.Number(),
})

export const showCharts = endpoint({
  method: 'GET',
  path: '/health/charts',
  access: 'view',
  summary: 'Show numbers over time for a chart',
  description:
    'Steps of 10 seconds are kept for 2 hours, of a minute for 2 days, of 10 minutes for 14 days and of an hour for 90 days. The finest ' +
    'that reaches back far enough is shown, or a coarser one where the reply would be too long.',
  query: strictObject({
    group: Type.Optional(oneOf(chartGroups, 'cpu when absent.')),
    name: Type.Optional(
      Type.String({ maxLength: 64, description: 'Of the group interfaces or disks: only this one.' }),
    ),
    from: Type.Optional({ ...Seconds, description: 'Unix seconds; two hours before `until` when absent.' }),
    until: Type.Optional({ ...Seconds, description: 'Unix seconds; now when absent.' }),
  }),
  reply: strictObject({
    step_seconds: Type.Integer({ 'x-unit': 'seconds' }),
    series: Type.Array(
      strictObject({
        name: Type.String({ description: 'Such as lan0/bytes_in.' }),
        unit: Type.String(),
        points: Type.Array(Point),
      }),
    ),
  }),
})
