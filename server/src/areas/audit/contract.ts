// The audit trail: changes, sign-ins and refusals (docs/behaviour/audit.md).

import { endpoint } from '../../contract/endpoint.ts'
import { nullable, oneOf, pageQuery, StatusItem, strictObject } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

export const auditEvents = [
  'change',
  'sign-in',
  'sign-out',
  'lock',
  'session-ended',
  'refused',
  'action',
  'system',
] as const

export const AuditRecord = strictObject({
  sequence: Type.Integer(),
  time: Type.String({ description: 'ISO 8601, UTC.' }),
  event: oneOf(auditEvents),
  who: Type.String(),
  address: Type.String(),
  what: Type.String(),
  result: Type.String({ description: '"ok", "failed" or the code of the refusal.' }),
  message: Type.String(),
  request_id: Type.String(),
  revision: nullable(Type.Integer()),
  changes: Type.Array(Type.Unknown(), { description: 'What changed, or why it was refused; secrets are masked.' }),
})

export const listRecords = endpoint({
  method: 'GET',
  path: '/journal/records',
  access: 'audit',
  summary: 'List the audit records, newest first',
  query: strictObject(pageQuery),
  reply: Type.Array(AuditRecord),
})

export const verifyAudit = endpoint({
  method: 'GET',
  path: '/journal/verify',
  access: 'audit',
  summary: 'Check that no audit record was altered or is missing',
  reply: strictObject({
    intact: Type.Boolean(),
    records: Type.Integer(),
    checkpoints: nullable(
      Type.Integer({
        description: 'Signed checkpoints that the chain was compared with; null when applyd does not answer.',
      }),
    ),
    first_bad: nullable(strictObject({ sequence: Type.Integer(), message: Type.String() })),
  }),
})

export const auditStatus = endpoint({
  method: 'GET',
  path: '/journal/status',
  access: 'audit',
  summary: 'Show how much of its limits the audit trail uses',
  description: 'The oldest records are removed when they are too old or the trail is too large; a record says so.',
  reply: Type.Array(StatusItem),
})
