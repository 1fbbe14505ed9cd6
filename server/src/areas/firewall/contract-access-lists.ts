// Access control lists, their bindings, and the exceptions from inspection (docs/behaviour/firewall.md 8 and 9).

import type { Static } from 'typebox'
import { type Kind, refers } from '../../core/contract/annotations.ts'
import { collectionEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'
import { maxObjects, ObjectId } from './contract-rules.ts'

export const maxEntries = 10_000
export const maxEntriesOverAll = 100_000
export const maxBindings = 1_000
const bodyLimitBytes = 16 * 1024 * 1024

const Cidr = Type.String({
  pattern: `^${addressPattern}/(?:[0-9]|[12][0-9]|3[0-2])$`,
  'x-fault': 'Must be a network such as 10.0.0.0/8; a single host has /32.',
})
const Port = Type.Integer({ minimum: 0, maximum: 65_535, description: '0 for protocols without ports.' })

export const AccessEntry = strictObject({
  saddr: Cidr,
  daddr: Cidr,
  proto: oneOf(['tcp', 'udp', 'ip', 'icmp']),
  sport_min: Port,
  sport_max: Port,
  dport_min: Port,
  dport_max: Port,
  action: oneOf(['allow', 'deny']),
})
export type AccessEntry = Static<typeof AccessEntry>

const AccessListFields = strictObject({
  name: text({ minLength: 1, maxLength: 255 }),
  value: Type.Array(AccessEntry, { maxItems: maxEntries, description: 'In order; the first match decides.' }),
})

export const AccessList = strictObject({ id: Type.String(), ...AccessListFields.properties })
export type AccessList = Static<typeof AccessList>

const lists = collectionEndpoints({
  path: '/acl/rules',
  title: 'access control lists',
  item: 'an access control list',
  idName: 'acl_id',
  change: 'firewall',
  fields: AccessListFields,
  shown: AccessList,
})

export const accessLists = {
  ...lists,
  create: { ...lists.create, bodyLimitBytes },
  update: { ...lists.update, bodyLimitBytes },
}

export const AccessBinding = strictObject({
  src: Type.Array(refers(['group', 'security_group'], ObjectId), {
    maxItems: maxObjects,
    uniqueItems: true,
    description: 'Ids of user groups or directory security groups; empty: no condition.',
  }),
  hip: Type.Array(refers(['hip_profile'], ObjectId), {
    maxItems: maxObjects,
    uniqueItems: true,
    description: 'Ids of device profiles; empty: no condition.',
  }),
  acl: Type.String({
    'x-refers': ['access_list'],
    minLength: 1,
    maxLength: 80,
    description: 'Id of an access control list.',
  }),
})
export type AccessBinding = Static<typeof AccessBinding>

export const AccessOrder = strictObject({
  acl_ordered_list: Type.Array(AccessBinding, { maxItems: maxBindings }),
})

export type AccessOrder = Static<typeof AccessOrder>

export const accessOrder = {
  show: endpoint({
    method: 'GET',
    path: '/acl/acl-order',
    access: 'view',
    summary: 'Show the bindings of the access control lists in their order',
    reply: AccessOrder,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/acl/acl-order',
    access: 'firewall',
    summary: 'Replace the bindings of the access control lists',
    description: 'The whole list, in its new order.',
    body: patchOf(AccessOrder),
    bodyLimitBytes,
  }),
}

export const AccessState = strictObject({
  enabled: Type.Boolean({ description: 'false: this stage accepts everything.' }),
  default_action: oneOf(['deny', 'allow'], 'Verdict for traffic that no entry matches.'),
  logging_enabled: Type.Boolean({ description: 'Log the verdicts.' }),
})

export const accessState = settingsEndpoints({
  path: '/acl/acl-state',
  title: 'state of the access control lists',
  schema: AccessState,
  change: 'firewall',
})

const bypassKinds = [
  'ip',
  'ip_range',
  'subnet',
  'domain',
  'address_list',
  'ip_address_list',
  'user',
  'group',
  'security_group',
] as readonly Kind[]

const bypassFields = {
  aliases: Type.Array(refers(bypassKinds, ObjectId), { minItems: 1, maxItems: maxObjects, uniqueItems: true }),
  comment: Comment,
  enabled: Type.Boolean(),
}

export const Bypass = strictObject({ id: Type.String(), ...bypassFields })
export type Bypass = Static<typeof Bypass>

export const bypassList = collectionEndpoints({
  path: '/ips/bypass',
  title: 'exceptions from inspection',
  item: 'an exception from inspection',
  idName: 'exception_id',
  change: 'firewall',
  fields: strictObject({
    aliases: bypassFields.aliases,
    comment: Type.Optional(bypassFields.comment),
    enabled: Type.Optional(bypassFields.enabled),
  }),
  patch: patchOf(strictObject(bypassFields)),
  shown: Bypass,
})
