// Profiles of intrusion prevention and their ordered rules (docs/behaviour/intrusion-prevention.md 3).

import type { Static } from 'typebox'
import { profileRuleEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, CreatedString, oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { Signatures } from './contract-signatures.ts'

/** The built-in profile that cannot be changed. */
export const templateId = '__DEFAULT_IPS_PROFILE_ID__'

export const filterKeys = ['sid', 'mitre_tactic_id', 'protocol', 'signature_severity', 'flow', 'classtype'] as const

const ProfileFields = strictObject({ name: text({ minLength: 1, maxLength: 42 }), comment: Comment })
export const Profile = strictObject({ id: Type.String(), ...ProfileFields.properties })
export type Profile = Static<typeof Profile>

const Filter = strictObject({
  key: oneOf(filterKeys),
  operator: oneOf(['equals']),
  values: Type.Array(
    Type.Union([text({ minLength: 1, maxLength: 255 }), Type.Integer({ minimum: 1, maximum: 0xffff_ffff })]),
    {
      minItems: 1,
      maxItems: 10_000,
      description: 'Matches when one of them is equal; numbers when the key is sid, otherwise texts.',
    },
  ),
})

const RuleFields = strictObject({
  filters: Type.Array(Filter, { minItems: 1, maxItems: 100, description: 'A signature must match all of them.' }),
  action: oneOf(['default', 'alert', 'drop', 'pass'], 'default keeps the action of the signature.'),
  comment: Comment,
})

const ProfileRule = strictObject({ id: Type.Integer(), ...RuleFields.properties })

export const StoredRule = strictObject({ id: Type.Integer(), profile_id: Type.String(), ...RuleFields.properties })
export type StoredRule = Static<typeof StoredRule>

/** Long lists of sids. */
const bodyLimitBytes = 1024 * 1024

const Counts = strictObject({
  pass: Type.Integer(),
  alert: Type.Integer(),
  drop: Type.Integer(),
  rejectsrc: Type.Integer(),
  rejectdst: Type.Integer(),
  rejectboth: Type.Integer(),
})

const path = '/ips/profiles'

export const profiles = {
  list: endpoint({
    method: 'GET',
    path,
    access: 'view',
    summary: 'List the intrusion prevention profiles',
    description: 'The first one is the template, which cannot be changed.',
    reply: Type.Array(Profile),
  }),
  create: endpoint({
    method: 'POST',
    path,
    access: 'configure',
    summary: 'Add an intrusion prevention profile',
    body: ProfileFields,
    reply: CreatedString,
  }),
  createWithRules: endpoint({
    method: 'POST',
    path: '/ips/profiles-create-with-rules',
    access: 'configure',
    summary: 'Add an intrusion prevention profile with its rules',
    body: strictObject({ ...ProfileFields.properties, rules: Type.Array(RuleFields, { maxItems: 1_000 }) }),
    reply: CreatedString,
    bodyLimitBytes,
  }),
  copy: endpoint({
    method: 'POST',
    path: `${path}/:profile_id/copy`,
    access: 'configure',
    summary: 'Copy an intrusion prevention profile',
    description: 'The rules are copied too; the comment of the copy is empty.',
    reply: CreatedString,
  }),
  update: endpoint({
    method: 'PATCH',
    path: `${path}/:profile_id`,
    access: 'configure',
    summary: 'Change an intrusion prevention profile',
    description: 'Any subset of the fields; what is not sent stays.',
    body: patchOf(ProfileFields),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:profile_id`,
    access: 'configure',
    summary: 'Remove an intrusion prevention profile',
  }),
  signatures: endpoint({
    method: 'GET',
    path: `${path}/:profile_id/signatures`,
    access: 'view',
    summary: 'List the signatures of an intrusion prevention profile with their effective actions',
    reply: Signatures,
  }),
  counts: endpoint({
    method: 'GET',
    path: `${path}/actions-counts`,
    access: 'view',
    summary: 'Count the effective actions of each intrusion prevention profile',
    reply: Type.Record(Type.String(), Counts),
  }),
}

export const profileRules = {
  ...profileRuleEndpoints({
    path,
    title: 'rules',
    item: 'a rule',
    fields: RuleFields,
    shown: ProfileRule,
    bodyLimitBytes,
  }),
  counts: endpoint({
    method: 'GET',
    path: `${path}/:profile_id/actions-counts`,
    access: 'view',
    summary: 'Count the effective actions of each rule of an intrusion prevention profile',
    reply: Type.Record(Type.String(), Counts),
  }),
}
