// What happens on the gateway as one stream, and all statuses in one call (docs/behaviour/events.md).

import { endpoint, eventStreamType } from '../../core/contract/endpoint.ts'
import { CodedStatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const listenToEvents = endpoint({
  method: 'GET',
  path: '/events',
  access: 'signed-in',
  summary: 'Listen to what happens on the gateway',
  description:
    'Server-sent events: `revision`, `probation`, `status`, `sessions`, `session` and `health`, each with JSON. First the present ' +
    'state of each, then what changes. A role hears only what it may read. The stream does not prolong the session and ends with it.',
  errors: ['too_many_requests'],
  reply: Type.String(),
  alsoReplies: [eventStreamType],
})

export const listStatuses = endpoint({
  method: 'GET',
  path: '/statuses',
  access: 'signed-in',
  summary: 'Show all statuses at once',
  description:
    'Those that your role may read. The status of the traffic monitor is not among them: it reads every connection.',
  reply: Type.Array(
    strictObject({
      path: Type.String({ description: 'The endpoint that shows this status alone.' }),
      items: Type.Array(CodedStatusItem),
    }),
  ),
})
