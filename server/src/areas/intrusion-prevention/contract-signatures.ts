// Signatures, their groups, and custom signatures (docs/behaviour/intrusion-prevention.md 1 and 2).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, CreatedString, oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { type Column, journalQuery } from '../../core/contract/table-query.ts'
import { refusalTable } from './contract-refusals.ts'

export const signatureActions = ['pass', 'alert', 'drop', 'rejectsrc', 'rejectdst', 'rejectboth'] as const

const signatureFields = {
  action: oneOf(signatureActions),
  protocol: Type.String(),
  flow: oneOf(['client2server', 'server2client', '-']),
  classtype: Type.String({ description: 'Group of the signature; - when its rule does not name one.' }),
  sid: Type.Integer(),
  signature_severity: Type.String({ description: 'As given in the rule, or -.' }),
  mitre_tactic_id: Type.String({ description: 'Such as TA0001, or -.' }),
  signature_source: oneOf(
    ['standard', 'advanced', 'custom'],
    'standard: part of the gateway; advanced: rule files of the operator; custom: added by an administrator.',
  ),
  msg: Type.String({ description: 'Name of the signature.' }),
  source: Type.String(),
  source_ports: Type.String(),
  destination: Type.String(),
  destination_ports: Type.String(),
  updated_at: Type.String({ description: 'YYYY-MM-DD, or -.' }),
}

export const Signature = strictObject(signatureFields)
/** Spec gap (docs/behaviour/intrusion-prevention.md 2.4): the list of custom signatures is the only place for the comment. */
const CustomSignature = strictObject({ ...signatureFields, comment: Comment })

const columnNames = Object.keys(signatureFields) as (keyof typeof signatureFields)[]
export const signatureColumns: readonly Column[] = columnNames.map((name) => ({
  name,
  type: name === 'sid' ? 'UInt32' : 'String',
}))

export const Signatures = strictObject({ signatures: Type.Array(Signature) })

export const signatureGroups = endpoint({
  method: 'GET',
  path: '/ips/signature_groups/table',
  access: 'view',
  summary: 'List the groups of signatures',
  reply: strictObject({
    signature_groups: Type.Array(
      strictObject({
        classtype: Type.String(),
        classtype_name: Type.String(),
        mitre_tactics: Type.Array(strictObject({ mitre_tactic_id: Type.String(), mitre_tactic_name: Type.String() })),
        count: Type.Integer({ description: 'Signatures in the group.' }),
      }),
    ),
  }),
})

export const signatureMatrix = endpoint({
  method: 'GET',
  path: '/ips/signature_groups/mitre',
  access: 'view',
  summary: 'List the tactics with their groups of signatures',
  reply: strictObject({
    signature_groups: Type.Array(
      strictObject({
        mitre_tactic_id: Type.String(),
        mitre_tactic_name: Type.String(),
        classtypes: Type.Array(
          strictObject({ classtype: Type.String(), classtype_name: Type.String(), count: Type.Integer() }),
        ),
      }),
    ),
  }),
})

export const listSignatures = endpoint({
  method: 'GET',
  path: '/ips/signatures',
  access: 'view',
  summary: 'List the signatures',
  description:
    'For example by group: filter=[{"items":[{"column_name":"classtype","operator":"equals","value":["misc-attack"]}]}]',
  query: strictObject({ filter: journalQuery(columnNames).properties.filter }),
  reply: Signatures,
})

export const showSignature = endpoint({
  method: 'GET',
  path: '/ips/signatures/:sid',
  access: 'view',
  summary: 'Show the text of a signature',
  reply: strictObject({ signature: Type.String() }),
})

export const listSignatureProfiles = endpoint({
  method: 'GET',
  path: '/ips/signatures/:sid/profiles',
  access: 'view',
  summary: 'List the profiles that contain a signature',
  reply: Type.Array(strictObject({ id: Type.String(), name: Type.String() })),
})

export const maxCustomSid = 999_999

const CustomFields = strictObject({
  comment: Comment,
  rule: text({ minLength: 1, maxLength: 8196, description: 'One Suricata rule with a sid from 1 to 999999.' }),
})
export type CustomFields = Static<typeof CustomFields>

export const StoredCustom = strictObject({
  id: Type.String({ description: 'The sid in decimal.' }),
  ...CustomFields.properties,
})
export type StoredCustom = Static<typeof StoredCustom>

export const customSignatures = {
  list: endpoint({
    method: 'GET',
    path: '/ips/custom',
    access: 'view',
    summary: 'List the custom signatures',
    reply: strictObject({ signatures: Type.Array(CustomSignature) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/ips/custom',
    access: 'configure',
    summary: 'Add a custom signature',
    body: CustomFields,
    reply: CreatedString,
  }),
  load: endpoint({
    method: 'POST',
    path: '/ips/custom_rules_file',
    access: 'configure',
    summary: 'Load custom signatures from a file',
    description:
      'One rule per line. A rule of the file replaces the signature with the same sid; an invalid file changes nothing.',
    rawBodyType: 'text/plain',
    bodyLimitBytes: 32 * 1024 * 1024,
    reply: strictObject({ count: Type.Integer({ description: 'Number of signatures in the file.' }) }),
  }),
  refusals: endpoint({
    method: 'GET',
    path: '/ips/custom_refusals',
    access: 'view',
    summary: 'List all lines of the last file that was not loaded',
    ...refusalTable,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/ips/custom/:sid',
    access: 'configure',
    summary: 'Change a custom signature',
    description: 'Any subset of the fields; the sid cannot be changed.',
    body: patchOf(CustomFields),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/ips/custom/:sid',
    access: 'configure',
    summary: 'Remove a custom signature',
  }),
}
