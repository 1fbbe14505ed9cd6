// Revisions, the probation of a change, key rotation and the status of the configuration itself
// (docs/behaviour/configuration.md).

import { settingsEndpoints } from '../../core/contract/collections.ts'
import { ObjectChange } from '../../core/contract/dry-run.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, pageQuery, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const revisionFields = {
  revision: Type.Integer(),
  time: Type.String({ 'x-time': 'iso', description: 'ISO 8601, UTC.' }),
  author: Type.String(),
  address: Type.String({ description: 'Address of the author; 127.0.0.1 for the gateway itself.' }),
  reason: Type.String(),
}

export const listRevisions = endpoint({
  method: 'GET',
  path: '/config/revisions',
  access: 'view',
  summary: 'List the revisions of the configuration, newest first',
  query: strictObject(pageQuery),
  reply: Type.Array(strictObject(revisionFields)),
})

export const showRevision = endpoint({
  method: 'GET',
  path: '/config/revisions/:revision_id',
  access: 'view',
  summary: 'Show one revision with what it changed',
  reply: strictObject({ ...revisionFields, changes: Type.Array(ObjectChange) }),
})

export const revertToRevision = endpoint({
  method: 'POST',
  path: '/config/revisions/:revision_id/revert',
  access: 'configure',
  needsFreshSignIn: true,
  summary: 'Revert the configuration to a revision',
  description: 'This makes a new revision; the history is kept. Revision 0 is the state before the first change.',
})

export const undoRevision = endpoint({
  method: 'POST',
  path: '/config/revisions/:revision_id/undo',
  access: 'configure',
  needsFreshSignIn: true,
  errors: ['conflict'],
  summary: 'Take back what one revision changed',
  description:
    'Later changes stay. Where one of them touched the same field or object, the call is refused (409) and names it with its author. This makes a new revision; the history is kept.',
})

/** As many rules as an import may bring. */
export const maxCalls = 2_000

const OneCall = strictObject({
  method: oneOf(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: Type.String({
    minLength: 1,
    maxLength: 4_000,
    description: 'With its query, such as /firewall/rules/forward?anchor_item_id=3; variables are encoded as in a URL.',
  }),
  body: Type.Optional(Type.Unknown({ description: 'The body of the call.' })),
  if_match: Type.Optional(
    Type.String({ maxLength: 200, description: 'As the header If-Match of the call by itself.' }),
  ),
  ids: Type.Optional(
    Type.Array(
      strictObject({
        into: Type.String({
          maxLength: 200,
          pattern: '^[a-z][a-z0-9_.[\\]]*$',
          description: 'A place of the body, such as source_addresses[0]. The body has null there.',
        }),
        of: Type.Integer({ minimum: 0, maximum: maxCalls, description: 'Which call, counted from 0; an earlier one.' }),
      }),
      {
        maxItems: 1_000,
        description: 'Places of the body that take the id of the item that an earlier call creates.',
      },
    ),
  ),
})

export const makeCalls = endpoint({
  method: 'POST',
  path: '/config/changes',
  access: 'change',
  errors: ['not_found'],
  bodyLimitBytes: 4 * 1024 * 1024,
  summary: 'Make several calls as one change',
  description:
    'The calls are made in their order, as one change with one revision: either all of them or none. Each must change the configuration and be allowed by itself. dry_run, cut_connections, Portcullis-Reason and Portcullis-Confirm-Within hold for the whole. A call can name what an earlier one creates: ids says where its id goes. A refusal names the call, and its fields as calls[3].body.title.',
  body: strictObject({ calls: Type.Array(OneCall, { minItems: 1, maxItems: maxCalls }) }),
  reply: strictObject({
    replies: Type.Array(Type.Unknown(), {
      description: 'What each call answers by itself, such as the id of a new item; null for a call without a reply.',
    }),
  }),
  example: {
    body: {
      calls: [
        { method: 'POST', path: '/aliases/ip_addresses', body: { title: 'Printer', comment: '', value: '10.0.0.9' } },
        {
          method: 'POST',
          path: '/firewall/rules/forward',
          body: { action: 'drop', source_addresses: [null] },
          ids: [{ into: 'source_addresses[0]', of: 0 }],
        },
        { method: 'PATCH', path: '/firewall/settings', body: { log_mode: 'all' } },
      ],
    },
    reply: { replies: [{ id: 'ip.id.4' }, { id: 7 }, null] },
  },
})

export const HistoryLimits = strictObject({
  max_revisions: Type.Integer({
    minimum: 10,
    maximum: 1_000_000,
    description: 'Of more revisions than this the oldest are removed.',
  }),
  max_megabytes: Type.Integer({
    minimum: 1,
    maximum: 65_536,
    'x-unit': 'mebibytes',
    description: 'Of more than this (in MiB, and at most an eighth of the disk) the oldest revisions are removed.',
  }),
})

export const historyLimits = settingsEndpoints({
  path: '/config/history',
  title: 'limits of the configuration history',
  schema: HistoryLimits,
  change: 'configure',
  // What a lower limit removes does not come back.
  needsFreshSignIn: true,
})

export const Probation = strictObject({
  revision: Type.Integer(),
  author: Type.String(),
  confirm_before: Type.String({ 'x-time': 'iso', description: 'ISO 8601, UTC.' }),
  seconds_left: Type.Integer({ 'x-unit': 'seconds' }),
})

export const showProbation = endpoint({
  method: 'GET',
  path: '/config/confirm',
  access: 'change',
  summary: 'Show the change on probation',
  reply: strictObject({ waiting: nullable(Probation) }),
})

export const confirmChange = endpoint({
  method: 'POST',
  path: '/config/confirm',
  errors: ['conflict'],
  access: 'change',
  effect: 'action',
  summary: 'Confirm the change on probation',
})

export const putBackChange = endpoint({
  method: 'DELETE',
  path: '/config/confirm',
  errors: ['conflict'],
  access: 'change',
  effect: 'action',
  summary: 'Revert the change on probation now',
})

export const rotateKey = endpoint({
  method: 'POST',
  path: '/config/keys/rotate',
  errors: ['conflict'],
  access: 'configure',
  effect: 'action',
  needsFreshSignIn: true,
  summary: 'Seal all stored secrets with a new key',
})

export const configurationStatus = endpoint({
  method: 'GET',
  path: '/config/status',
  access: 'view',
  summary: 'Show whether the configuration is applied',
  reply: Type.Array(StatusItem),
})
