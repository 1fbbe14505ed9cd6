// The category database: what is loaded, which category a URL is in, and which rule decides about a request. Additions of
// ours (docs/behaviour/content-filter.md 5): the interface names these features and has no calls for them.

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, Spoken, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const Url = text({
  minLength: 1,
  maxLength: 2_048,
  description: 'A whole URL, or a name with or without a path; without a scheme it is http.',
})

const FoundCategory = strictObject({
  id: Type.String({ 'x-refers': ['content_category'] }),
  name: Type.String(),
  entry: nullable(Type.String({ description: 'The entry of the list that covers the URL.' })),
  source: nullable(Type.String({ description: 'File of the database, or name of the user category.' })),
})

export const categorize = endpoint({
  method: 'GET',
  path: '/content-filter/categorize',
  access: 'view',
  summary: 'Find the categories of a URL',
  query: strictObject({ url: Url }),
  reply: strictObject({
    url: Type.String({ description: 'As it was understood.' }),
    host: Type.String(),
    path: Type.String(),
    categories: Type.Array(FoundCategory),
    all: Type.Array(Type.String({ 'x-refers': ['content_category'] }), {
      description:
        'Ids of all categories for which a rule matches when the page is read, as newer clients read them: also groups of files ' +
        'and special categories, and topics only while they are used.',
    }),
  }),
})

const Source = strictObject({
  name: Type.String({ description: 'starter, uploaded or operator.' }),
  entries: Type.Integer(),
  categories: Type.Integer(),
  refused: Type.Integer({ description: 'Lines that are neither a name nor a URL.' }),
  unknown_folders: Type.Array(Type.String(), {
    description: 'Folders that name no category of the catalogue: the first hundred.',
  }),
  unknown_count: Type.Integer({ description: 'How many such folders there are.' }),
})

export const showDatabase = endpoint({
  method: 'GET',
  path: '/content-filter/database',
  access: 'view',
  summary: 'Show the category database',
  reply: strictObject({
    state: oneOf(['ready', 'building', 'failed'], 'building: a new one is made, the old one decides until then.'),
    message: Type.String({ description: 'Why the last build failed; otherwise empty.' }),
    sentences: Type.Optional(Spoken),
    progress: nullable(
      Type.Integer({ description: 'Percent of the lists that are read; null when nothing is built.' }),
    ),
    entries: Type.Integer(),
    bytes: Type.Integer(),
    built_at: nullable(Type.Integer({ 'x-time': 'unix' })),
    folder: Type.String({
      description: 'Where the operator can put lists: one folder a category with domains and urls.',
    }),
    sources: Type.Array(Source),
  }),
})

export const rebuildDatabase = endpoint({
  method: 'POST',
  path: '/content-filter/database/rebuild',
  access: 'configure',
  summary: 'Read the lists of the operator again',
  effect: 'action',
})

export const ExplainedRequest = strictObject({
  source: Type.Optional(
    Type.String({
      pattern: '^[0-9.]{7,15}$',
      'x-fault': 'Must be an IPv4 address.',
      description: 'Address of the client.',
    }),
  ),
  user: Type.Optional(
    Type.Union(
      [
        Type.String({
          pattern: '^(?:user\\.id\\.)?[1-9]\\d{0,14}$',
          'x-fault': 'Must be the id of a user, such as user.id.1.',
        }),
        Type.Integer({ minimum: 1 }),
      ],
      {
        'x-refers': ['user'],
        description: 'Judged as this user, wherever they are; without it, as the user whose session is at the source.',
      },
    ),
  ),
  url: Url,
  method: Type.Optional(
    oneOf(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'], 'GET when absent.'),
  ),
  request_type: Type.Optional(text({ maxLength: 255, description: 'MIME type of what is sent.' })),
  content_type: Type.Optional(
    text({ maxLength: 255, description: 'MIME type of the reply; without it, rules that need it are undecided.' }),
  ),
  time: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 253_402_300_799, 'x-time': 'unix', description: 'Unix seconds; now.' }),
  ),
})
export type ExplainedRequest = Static<typeof ExplainedRequest>

const PassedRule = strictObject({
  id: Type.Integer(),
  name: Type.String(),
  access: oneOf(['allow', 'deny', 'bump', 'redirect']),
  field: oneOf(['aliases', 'categories', 'http_methods', 'content_types', 'timetable', 'access']),
  reason: Type.String({ description: 'Why it did not match.' }),
})

const Stage = strictObject({
  stage: oneOf(['interception', 'tls', 'request', 'reply', 'firewall']),
  verdict: oneOf(['splice', 'bump', 'allow', 'deny', 'redirect', 'wait', 'not_filtered']),
  rule: nullable(strictObject({ id: Type.Integer(), name: Type.String() })),
  text: Type.String({ description: 'What happens, in a sentence.' }),
  passed: Type.Array(PassedRule, { description: 'Rules before it that did not match: the last thousand.' }),
  passed_count: Type.Integer(),
})

export const WebExplanation = strictObject({
  verdict: oneOf(['allow', 'deny', 'redirect', 'depends', 'not_filtered'], 'depends: on the type of the reply.'),
  decrypted: Type.Boolean(),
  rule: nullable(strictObject({ id: Type.Integer(), name: Type.String() })),
  redirect_url: nullable(Type.String()),
  user: nullable(
    strictObject({ id: Type.String({ 'x-refers': ['user'] }), login: Type.String(), name: Type.String() }),
  ),
  categories: Type.Array(FoundCategory),
  stages: Type.Array(Stage),
  notes: Type.Array(Type.String(), {
    description: 'What else decides: exclusions, the state of the engine, words of the page.',
  }),
  sentences: Type.Optional(Spoken),
})
export type WebExplanation = Static<typeof WebExplanation>

export const explainRequest = endpoint({
  method: 'POST',
  path: '/content-filter/explain',
  access: 'view',
  summary: 'Explain what the content filter does with a request',
  body: ExplainedRequest,
  reply: WebExplanation,
  effect: 'read',
})
