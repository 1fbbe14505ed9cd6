// Rules of the content filter in their order (docs/behaviour/content-filter.md 3).

import type { Static } from 'typebox'
import { addressKinds, type Kind, refers, timeKinds } from '../../core/contract/annotations.ts'
import { orderedEndpoints } from '../../core/contract/collections.ts'
import { Comment, nullable, oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { neutral, oneBlock } from '../../core/contract/newer-forms.ts'
import { Type } from '../../core/contract/schema.ts'
import { categoryTypes } from './contract-categories.ts'

const maxObjects = 200
const maxCategories = 1_000

const httpMethods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'] as const

const ObjectId = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,80}$', 'x-fault': 'Must be the id of an object.' })

const objects = (kinds: readonly Kind[], description: string) =>
  Type.Array(refers(['any', ...kinds], ObjectId), { minItems: 1, maxItems: maxObjects, uniqueItems: true, description })

const CategoryId = Type.String({
  'x-refers': ['content_category'],
  pattern: `^(?:${categoryTypes.join('|')})\\.id\\.[1-9][0-9]{0,14}$`,
  'x-fault': 'Must be the id of a category such as users.id.1.',
})

const mimeWord = "[A-Za-z0-9!#$&^_.+'-]{1,100}"
const ContentType = Type.String({
  pattern: `^${mimeWord}/(?:${mimeWord}|\\*)$`,
  'x-fault': 'Must be a MIME type such as video/mp4, or video/* for all of its kind.',
})

const RedirectUrl = Type.String({
  maxLength: 2_048,
  pattern: '^https?://[!-~]+$',
  'x-fault': 'Must be an address such as https://example.com/page, with an international name in its ASCII form.',
})

const fields = {
  parent_id: Type.String({
    'x-refers': ['server_group'],
    pattern: '^[A-Za-z0-9-]{1,80}$',
    'x-fault': 'Must be the id of a server group.',
    description: 'Server group in the central console, or the root group.',
  }),
  name: text({ minLength: 1, maxLength: 255 }),
  comment: Comment,
  aliases: objects(
    addressKinds,
    '["any"] or ids of users, groups and address objects: users and addresses the rule applies to.',
  ),
  categories: Type.Array(CategoryId, { minItems: 1, maxItems: maxCategories, uniqueItems: true }),
  http_methods: Type.Array(oneOf(httpMethods), { uniqueItems: true, description: 'Empty: not checked.' }),
  content_types: Type.Array(ContentType, {
    maxItems: maxObjects,
    uniqueItems: true,
    description: 'MIME types; empty: not checked.',
  }),
  access: oneOf(
    ['allow', 'deny', 'bump', 'redirect'],
    'deny: refuse and show the block page; bump: decrypt; redirect: send to redirect_url.',
  ),
  redirect_url: nullable(RedirectUrl),
  enabled: Type.Boolean(),
  timetable: objects(timeKinds, '["any"] or ids of time objects: the rule applies only during these times.'),
}

export const ContentRule = strictObject({ id: Type.Integer(), ...fields })
export type ContentRule = Static<typeof ContentRule>

/** Forms of newer clients; lists.ts turns them into the fields above. */
const neutralForms = {
  categories_negate: neutral([false], 'Must be false: a rule cannot exclude categories.'),
  content_length: neutral([0], 'Must be 0: the length of the content is not checked.'),
  content_length_mode: neutral(['le', 'ge'], 'Must be le or ge, with content_length 0.'),
  traffic_direction: neutral(['both'], 'Must be both: a rule applies in both directions.'),
  uri_regex: neutral([[]], 'Must be an empty list: addresses of pages are matched by categories.'),
  av_profile: neutral([''], 'Must be empty: there are no antivirus profiles.'),
}
export const neutralFields = Object.keys(neutralForms)

const newer = {
  ...neutralForms,
  src_aliases: oneBlock(
    {
      aliases: fields.aliases,
      negate: neutral([false], 'Must be false: a rule cannot exclude users and addresses.'),
    },
    'aliases',
  ),
}

const NewContentRule = strictObject({
  ...fields,
  ...newer,
  aliases: Type.Optional(fields.aliases),
  parent_id: Type.Optional(fields.parent_id),
  comment: Type.Optional(fields.comment),
  http_methods: Type.Optional(fields.http_methods),
  content_types: Type.Optional(fields.content_types),
  redirect_url: Type.Optional(fields.redirect_url),
  enabled: Type.Optional(fields.enabled),
  timetable: Type.Optional(fields.timetable),
})

export const contentRules = orderedEndpoints({
  path: '/content-filter/rules',
  title: 'content filter rules in their order',
  item: 'a content filter rule',
  idName: 'rule_id',
  change: 'firewall',
  fields: NewContentRule,
  patch: patchOf(strictObject({ ...fields, ...newer })),
  shown: ContentRule,
})
