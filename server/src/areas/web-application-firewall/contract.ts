// Profiles of the web application firewall: categories of its rule set, allow and block rules, excluded rules
// (docs/behaviour/web-application-firewall.md). Publications that use them belong to the reverse proxy.

import type { Static } from 'typebox'
import { profileRuleEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, CreatedString, Enabled, oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const path = '/reverse_proxy_backend/waf/profiles'

const ExceptionFields = strictObject({
  rule_id: Type.Integer({
    minimum: 1,
    maximum: 999_999_999,
    description: 'Number of the rule, as shown in the security event log.',
  }),
  comment: Comment,
  enabled: Type.Boolean(),
})
const WafException = strictObject({ id: Type.String(), ...ExceptionFields.properties })
export const StoredException = strictObject({ profile_id: Type.String(), ...WafException.properties })
export type StoredException = Static<typeof StoredException>

const fields = {
  name: text({ minLength: 1, maxLength: 42 }),
  detection_only: Type.Boolean({ description: 'true: detect and log only; false: also block.' }),
  disabled_categories: Type.Array(text({ 'x-refers': ['waf_category'], minLength: 1, maxLength: 42 }), {
    maxItems: 128,
    uniqueItems: true,
    description: 'Ids of the categories whose rules are not used.',
  }),
  server_tokens: Type.Boolean({ description: 'true: keep the Server header of the web server; false: hide it.' }),
  comment: Comment,
}

/** A client cannot decide whether a profile comes from the central console: the field is accepted and ignored. */
const ProfileFields = strictObject({ ...fields, from_central_console: Type.Optional(Type.Boolean()) })
export type ProfileFields = Static<typeof ProfileFields>

export const StoredProfile = strictObject({ id: Type.String(), ...fields, from_central_console: Type.Boolean() })
export type StoredProfile = Static<typeof StoredProfile>
const WafProfile = strictObject({ ...StoredProfile.properties, exceptions: Type.Array(WafException) })

const RuleFields = strictObject({
  aliases: Type.Array(
    Type.String({
      'x-refers': ['ip', 'subnet', 'iplist', 'list_of_iplists'],
      pattern: '^[A-Za-z0-9_.-]{1,80}$',
      'x-fault': 'Must be the id of an object.',
    }),
    {
      minItems: 1,
      maxItems: 2_000,
      uniqueItems: true,
      description: 'Ids of IP addresses, subnets, countries and lists of countries.',
    },
  ),
  aliases_negate: Type.Boolean({ description: 'Match every source except these.' }),
  action: oneOf(['block', 'pass'], 'block: refuse; pass: do not inspect.'),
  comment: Comment,
  enabled: Type.Boolean(),
})
const WafRule = strictObject({ id: Type.Integer(), ...RuleFields.properties })
export const StoredRule = strictObject({ profile_id: Type.String(), ...WafRule.properties })
export type StoredRule = Static<typeof StoredRule>

const Category = strictObject({
  id: Type.String(),
  title: Type.String(),
  required: Type.Boolean({ description: 'Cannot be disabled.' }),
  description: Type.String(),
})
export type Category = Static<typeof Category>

export const wafProfiles = {
  list: endpoint({
    method: 'GET',
    path,
    access: 'view',
    summary: 'List the web application firewall profiles',
    reply: Type.Array(WafProfile),
  }),
  create: endpoint({
    method: 'POST',
    path,
    access: 'configure',
    summary: 'Add a web application firewall profile',
    body: ProfileFields,
    reply: CreatedString,
  }),
  update: endpoint({
    method: 'PATCH',
    path: `${path}/:profile_id`,
    access: 'configure',
    summary: 'Change a web application firewall profile',
    description: 'Any subset of the fields; what is not sent stays.',
    body: patchOf(ProfileFields),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:profile_id`,
    access: 'configure',
    summary: 'Remove a web application firewall profile',
  }),
}

export const wafCategories = {
  list: endpoint({
    method: 'GET',
    path: '/reverse_proxy_backend/waf/categories',
    access: 'view',
    summary: 'List the rule categories of the web application firewall',
    reply: Type.Array(Category),
  }),
  listEnabled: endpoint({
    method: 'GET',
    path: `${path}/:profile_id/categories`,
    access: 'view',
    summary: 'List the enabled rule categories of a profile',
    reply: Type.Array(Category),
  }),
  update: endpoint({
    method: 'PATCH',
    path: `${path}/:profile_id/categories/:category_id`,
    access: 'configure',
    summary: 'Enable or disable a rule category of a profile',
    body: patchOf(Enabled),
  }),
}

const rulesBodyLimitBytes = 256 * 1024

export const wafRules = profileRuleEndpoints({
  path,
  title: 'allow and block rules',
  item: 'an allow or block rule',
  fields: RuleFields,
  shown: WafRule,
  bodyLimitBytes: rulesBodyLimitBytes,
})

export const wafExceptions = {
  list: endpoint({
    method: 'GET',
    path: `${path}/:profile_id/exceptions`,
    access: 'view',
    summary: 'List the excluded rules of a profile',
    reply: Type.Array(WafException),
  }),
  create: endpoint({
    method: 'POST',
    path: `${path}/:profile_id/exceptions`,
    access: 'configure',
    summary: 'Exclude a rule from a profile',
    body: ExceptionFields,
    reply: CreatedString,
  }),
  update: endpoint({
    method: 'PATCH',
    path: `${path}/:profile_id/exceptions/:exception_id`,
    access: 'configure',
    summary: 'Change an excluded rule of a profile',
    description: 'Any subset of the fields; what is not sent stays.',
    body: patchOf(ExceptionFields),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:profile_id/exceptions/:exception_id`,
    access: 'configure',
    summary: 'Stop excluding a rule from a profile',
  }),
}
