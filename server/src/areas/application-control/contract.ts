// Application control rules, the older mechanism beside profiles in firewall rules (docs/behaviour/application-control.md 1).

import type { Static } from 'typebox'
import { addressKinds, type Kind } from '../../core/contract/annotations.ts'
import { orderedEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, oneOf, StatusItem, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const maxObjects = 200
const maxProtocols = 1_000

const id = (kinds: readonly Kind[], what: string) =>
  Type.String({ 'x-refers': kinds, pattern: '^[A-Za-z0-9_.-]{1,80}$', 'x-fault': `Must be the id of ${what}.` })

const fields = {
  parent_id: Type.String({
    'x-refers': ['server_group'],
    pattern: '^[A-Za-z0-9-]{1,80}$',
    'x-fault': 'Must be the id of a server group.',
    description: 'Server group in the central console, or the root group.',
  }),
  name: text({ minLength: 1, maxLength: 255 }),
  action: oneOf(['drop', 'accept']),
  comment: Comment,
  aliases: Type.Array(id(['any', ...addressKinds], 'an object'), {
    maxItems: maxObjects,
    uniqueItems: true,
    description: '["any"] or ids of users, groups and address objects; empty: no one.',
  }),
  protocols: Type.Array(id(['application'], 'an application protocol'), {
    maxItems: maxProtocols,
    uniqueItems: true,
    description: 'Ids of application protocols; empty: none.',
  }),
  enabled: Type.Boolean(),
}

export const ApplicationRule = strictObject({ id: Type.Integer(), ...fields })
export type ApplicationRule = Static<typeof ApplicationRule>

const WholeRule = strictObject({
  ...fields,
  parent_id: Type.Optional(fields.parent_id),
  comment: Type.Optional(fields.comment),
  enabled: Type.Optional(fields.enabled),
})

const { list, create, move, remove } = orderedEndpoints({
  path: '/application_control_backend/rules',
  title: 'application control rules in their order',
  item: 'an application control rule',
  idName: 'rule_id',
  change: 'firewall',
  fields: WholeRule,
  shown: ApplicationRule,
})

export const applicationRules = {
  list,
  create,
  replace: endpoint({
    method: 'PUT',
    path: '/application_control_backend/rules/:rule_id',
    access: 'firewall',
    summary: 'Replace an application control rule',
    description: 'The whole rule: what is not sent gets its default.',
    body: WholeRule,
  }),
  move,
  remove,
}

/** Spec gap (docs/behaviour/application-control.md 3): an addition with the form of all other status calls. */
export const applicationStatus = endpoint({
  method: 'GET',
  path: '/application_control_backend/status',
  access: 'view',
  summary: 'Show the status of application control',
  reply: Type.Array(StatusItem),
})
