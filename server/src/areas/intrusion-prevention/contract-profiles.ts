// Profiles of intrusion prevention and their ordered rules (seed; ips-and-profiles.md 1.4 and 2.2).

import type { Static } from 'typebox'
import { profileRuleEndpoints } from '../../contract/collections.ts'
import { endpoint } from '../../contract/endpoint.ts'
import { Comment, CreatedString, oneOf, patchOf, strictObject, text } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'
import { Signatures } from './contract-signatures.ts'

/** The profile that everybody has and nobody changes. */
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
    { minItems: 1, maxItems: 10_000, description: 'Any of them fits; numbers when the key is sid, else texts.' },
  ),
})

const RuleFields = strictObject({
  filters: Type.Array(Filter, { minItems: 1, maxItems: 100, description: 'All of them must fit.' }),
  action: oneOf(['default', 'alert', 'drop', 'pass'], 'default keeps the action of the signature itself.'),
  comment: Comment,
})
export type RuleFields = Static<typeof RuleFields>

export const ProfileRule = strictObject({ id: Type.Integer(), ...RuleFields.properties })
export type ProfileRule = Static<typeof ProfileRule>

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
    summary: 'List the profiles of intrusion prevention',
    description: 'First the template, which nobody can change.',
    reply: Type.Array(Profile),
  }),
  create: endpoint({
    method: 'POST',
    path,
    access: 'configure',
    summary: 'Add a profile of intrusion prevention',
    body: ProfileFields,
    reply: CreatedString,
  }),
  createWithRules: endpoint({
    method: 'POST',
    path: '/ips/profiles-create-with-rules',
    access: 'configure',
    summary: 'Add a profile of intrusion prevention with its rules',
    body: strictObject({ ...ProfileFields.properties, rules: Type.Array(RuleFields, { maxItems: 1_000 }) }),
    reply: CreatedString,
    bodyLimitBytes,
  }),
  copy: endpoint({
    method: 'POST',
    path: `${path}/:profile_id/copy`,
    access: 'configure',
    summary: 'Copy a profile of intrusion prevention',
    description: 'With its rules; the comment of the copy is empty.',
    reply: CreatedString,
  }),
  update: endpoint({
    method: 'PATCH',
    path: `${path}/:profile_id`,
    access: 'configure',
    summary: 'Change a profile of intrusion prevention',
    description: 'Any subset of the fields; what is not sent stays.',
    body: patchOf(ProfileFields),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:profile_id`,
    access: 'configure',
    summary: 'Remove a profile of intrusion prevention',
  }),
  signatures: endpoint({
    method: 'GET',
    path: `${path}/:profile_id/signatures`,
    access: 'view',
    summary: 'List the signatures of a profile with their effective actions',
    reply: Signatures,
  }),
  counts: endpoint({
    method: 'GET',
    path: `${path}/actions-counts`,
    access: 'view',
    summary: 'Count the effective actions of every profile',
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
    summary: 'Count the effective actions of every rule of a profile',
    reply: Type.Record(Type.String(), Counts),
  }),
}
