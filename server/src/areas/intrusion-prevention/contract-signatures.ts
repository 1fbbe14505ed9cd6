// Signatures, their groups, and those of administrators (ips-and-profiles.md 1.1, 1.2 and 2.1).

import type { Static } from 'typebox'
import { endpoint } from '../../contract/endpoint.ts'
import { Comment, CreatedString, oneOf, patchOf, strictObject, text } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'
import { type Column, journalQuery } from '../../contract/table-query.ts'

export const signatureActions = ['pass', 'alert', 'drop', 'rejectsrc', 'rejectdst', 'rejectboth'] as const

const signatureFields = {
  action: oneOf(signatureActions),
  protocol: Type.String(),
  flow: oneOf(['client2server', 'server2client', '-']),
  classtype: Type.String({ description: 'Group of the signature; - when its rule names none.' }),
  sid: Type.Integer(),
  signature_severity: Type.String({ description: 'As the rule says, or -.' }),
  mitre_tactic_id: Type.String({ description: 'Such as TA0001, or -.' }),
  signature_source: oneOf(
    ['standard', 'advanced', 'custom'],
    'standard: comes with the gateway; advanced: rule files of the operator; custom: added by an administrator.',
  ),
  msg: Type.String({ description: 'Name of the signature.' }),
  source: Type.String(),
  source_ports: Type.String(),
  destination: Type.String(),
  destination_ports: Type.String(),
  updated_at: Type.String({ description: 'YYYY-MM-DD, or -.' }),
}

export const Signature = strictObject(signatureFields)
/** Spec gap: the comment of a custom signature is shown nowhere in the specification; here it is. */
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
    'Of groups: filter=[{"items":[{"column_name":"classtype","operator":"equals","value":["misc-attack"]}]}]',
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
  rule: text({ minLength: 1, maxLength: 8196, description: 'One rule of Suricata, with a sid from 1 to 999999.' }),
})
export type CustomFields = Static<typeof CustomFields>

export const StoredCustom = strictObject({
  id: Type.String({ description: 'The sid in decimal.' }),
  ...CustomFields.properties,
})

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
    description: 'One rule a line. A sid that is already there gets the rule of the file; a bad file changes nothing.',
    rawBodyType: 'text/plain',
    bodyLimitBytes: 32 * 1024 * 1024,
    reply: strictObject({ count: Type.Integer({ description: 'Signatures of the file.' }) }),
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/ips/custom/:sid',
    access: 'configure',
    summary: 'Change a custom signature',
    description: 'Any subset of the fields; the sid stays.',
    body: patchOf(CustomFields),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/ips/custom/:sid',
    access: 'configure',
    summary: 'Remove a custom signature',
  }),
}
