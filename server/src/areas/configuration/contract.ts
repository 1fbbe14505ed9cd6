// Revisions, the probation of a change, key rotation and the status of the configuration itself
// (docs/behaviour/configuration.md).

import { settingsEndpoints } from '../../contract/collections.ts'
import { endpoint } from '../../contract/endpoint.ts'
import { nullable, oneOf, pageQuery, StatusItem, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

const revisionFields = {
  revision: Type.Integer(),
  time: Type.String({ 'x-time': 'iso', description: 'ISO 8601, UTC.' }),
  author: Type.String(),
  address: Type.String({ description: 'Address of the author; 127.0.0.1 for the gateway itself.' }),
  reason: Type.String(),
}

export const ObjectChange = strictObject({
  object: Type.String({ description: 'Such as firewall.settings or administrators.local[<id>].' }),
  action: oneOf(['added', 'changed', 'moved', 'removed']),
  fields: Type.Array(
    strictObject({
      field: Type.String(),
      before: Type.Unknown(),
      after: Type.Unknown(),
      at: Type.Optional(
        Type.Integer({
          description:
            'In a long list before and after contain only the difference; this is the index of its first entry.',
        }),
      ),
      unchanged: Type.Optional(
        Type.Integer({ description: 'Number of entries of a long list that are the same before and after.' }),
      ),
    }),
  ),
})

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
