// Content filter rules of the console (docs/behaviour/central-console.md 3).

import type { Static, TOptional, TProperties } from 'typebox'
import { addressKinds, type Kind, refers, timeKinds } from '../../core/contract/annotations.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, named, nullable, oneOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { GroupId, ruleTable } from './contract-tables.ts'

const ObjectId = Type.String({ pattern: '^[A-Za-z0-9_.\\-]{1,80}$', 'x-fault': 'Must be the id of an object.' })

const objects = (kinds: readonly Kind[], description: string) =>
  Type.Array(refers(kinds, ObjectId), { maxItems: 200, uniqueItems: true, description })

const MediaType = Type.String({
  pattern: '^[A-Za-z0-9!#$&^_.+\\-]{1,64}/[A-Za-z0-9!#$&^_.+*\\-]{1,64}$',
  'x-fault': 'Must be a media type such as text/html.',
})

const required = {
  name: text({ minLength: 1, maxLength: 255 }),
  access: oneOf(['allow', 'deny', 'bump', 'redirect'], 'bump: decrypt; redirect: send to redirect_url.'),
}

const others = {
  parent_id: Type.String({ ...GroupId, description: 'Server group the rule applies to.' }),
  comment: Comment,
  aliases: objects(
    ['any', ...addressKinds],
    'Users and addresses the rule applies to: ["any"] or ids of users, groups and addresses.',
  ),
  categories: objects(['content_category'], 'Ids of categories.'),
  http_methods: Type.Array(oneOf(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT']), {
    uniqueItems: true,
  }),
  content_types: Type.Array(MediaType, { maxItems: 200, uniqueItems: true }),
  redirect_url: nullable(text({ minLength: 1, maxLength: 2048, description: 'Only with the access redirect.' })),
  enabled: Type.Boolean(),
  timetable: objects(['any', ...timeKinds], '["any"] or ids of time objects.'),
}

type AllOptional<P extends TProperties> = { [N in keyof P]: TOptional<P[N]> }

const optional = <P extends TProperties>(properties: P): AllOptional<P> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as AllOptional<P>

export const ContentRule = strictObject({ id: Type.Integer(), ...required, ...others })
export type ContentRule = Static<typeof ContentRule>

const creation = strictObject({ ...required, ...optional(others) })

/** The published removal has the id in its body; the usual one is served too (docs/behaviour/central-console.md 3.5). */
const RemovedRule = strictObject({
  id: Type.Optional(Type.Integer()),
  params: Type.Optional(strictObject({ id: Type.Integer() })),
})

function contentTable(place: 'before' | 'after', word: string) {
  const path = `/content-filter/rules/${place}`
  return {
    ...ruleTable({
      path,
      title: `${word} content filter rules of the console`,
      item: `${word === 'initial' ? 'an' : 'a'} ${word} content filter rule of the console`,
      fields: named('NewConsoleContentRule', creation),
      shown: named('ConsoleContentRule', ContentRule),
    }),
    removeByBody: endpoint({
      method: 'DELETE',
      path: `${path}/move`,
      errors: ['not_found'],
      access: 'firewall',
      summary: `Remove ${word === 'initial' ? 'an' : 'a'} ${word} content filter rule named in the body`,
      body: RemovedRule,
    }),
  }
}

export const contentBefore = contentTable('before', 'initial')
export const contentAfter = contentTable('after', 'final')
