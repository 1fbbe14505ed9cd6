// Revisions, confirm-or-revert, key rotation and the state of the configuration itself. These endpoints are ours.

import { endpoint } from '../../contract/endpoint.ts'
import { nullable, oneOf, pageQuery, StatusItem, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

const revisionFields = {
  revision: Type.Integer(),
  time: Type.String({ description: 'ISO 8601, UTC.' }),
  author: Type.String(),
  address: Type.String({ description: 'Where the author signed in from; 127.0.0.1 for the gateway itself.' }),
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
        Type.Integer({ description: 'Of a long list, before and after tell what differs, from this entry on.' }),
      ),
      unchanged: Type.Optional(Type.Integer({ description: 'Entries of a long list that stand on both sides.' })),
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
  summary: 'Make the configuration what it was at a revision',
  description:
    'This is a new revision like any other; nothing of the history is lost. 0 is the state before the first.',
})

export const Probation = strictObject({
  revision: Type.Integer(),
  author: Type.String(),
  confirm_before: Type.String({ description: 'ISO 8601, UTC.' }),
  seconds_left: Type.Integer(),
})

export const showProbation = endpoint({
  method: 'GET',
  path: '/config/confirm',
  access: 'change',
  summary: 'Show the change that waits for its confirmation',
  reply: strictObject({ waiting: nullable(Probation) }),
})

export const confirmChange = endpoint({
  method: 'POST',
  path: '/config/confirm',
  errors: ['conflict'],
  access: 'change',
  effect: 'action',
  summary: 'Keep the change that waits for its confirmation',
})

export const putBackChange = endpoint({
  method: 'DELETE',
  path: '/config/confirm',
  errors: ['conflict'],
  access: 'change',
  effect: 'action',
  summary: 'Put back the change that waits for its confirmation, now',
})

export const rotateKey = endpoint({
  method: 'POST',
  path: '/config/keys/rotate',
  access: 'configure',
  effect: 'action',
  summary: 'Seal all stored secrets with a new key',
})

export const configurationStatus = endpoint({
  method: 'GET',
  path: '/config/status',
  access: 'view',
  summary: 'Show whether the machine follows the configuration',
  reply: Type.Array(StatusItem),
})
