// The audit trail: changes, sign-ins and refusals (docs/behaviour/audit.md).

import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, pageQuery, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

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
  time: Type.String({ 'x-time': 'iso', description: 'ISO 8601, UTC.' }),
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

const unixSeconds = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 253_402_300_799, 'x-time': 'unix', description: `${description} Unix seconds.` })

export const listRecords = endpoint({
  method: 'GET',
  path: '/journal/records',
  access: 'audit',
  summary: 'List the audit records, newest first',
  description: 'All conditions must hold. Without any, the newest records.',
  query: strictObject({
    ...pageQuery,
    who: Type.Optional(Type.String({ maxLength: 320, description: 'Exactly this login.' })),
    event: Type.Optional(oneOf(auditEvents)),
    result: Type.Optional(Type.String({ maxLength: 40, description: 'ok, failed or the code of a refusal.' })),
    address: Type.Optional(Type.String({ maxLength: 45, description: 'Exactly this address of the client.' })),
    what: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the endpoint or action.' })),
    object: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Changes of an object, such as firewall.forward[7], or of all in a list: firewall.forward.',
      }),
    ),
    from: Type.Optional(unixSeconds('The first moment.')),
    until: Type.Optional(unixSeconds('The first moment that does not belong to it.')),
  }),
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
