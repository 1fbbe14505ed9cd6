// Integration with directories of the AD and the ALD type (docs/behaviour/directory.md 1 to 3). Group synchronization is in
// contract-groups.ts, administrators of directories are in the area directory-administrators.

import type { Static } from 'typebox'
import { collectionEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

export { adGroupSettings, aldGroupSettings } from './contract-groups.ts'

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const aldLabel = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'

/** The last label is not a number, so that no address passes for a name. */
const AdName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: `^(?:${label}\\.)+(?![0-9]+$)${label}$`,
  description: 'Full name of the domain.',
  'x-fault': 'Must be the full name of a domain, such as corp.example.com.',
})

const AldName = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: `^(?:${aldLabel}\\.)*${aldLabel}$`,
  description: 'Name of the domain, not of a controller.',
  'x-fault': 'Must be the name of a domain: Latin letters, digits, underscores and hyphens between dots.',
})

const ComputerName = Type.String({
  minLength: 1,
  maxLength: 15,
  pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$',
  description: 'Name of the gateway in the domain.',
  'x-fault': 'Must consist of letters, digits and hyphens, without a hyphen at the start or end.',
})

const Address = Type.String({
  pattern: `^${addressPattern}$`,
  maxLength: 15,
  'x-fault': 'Must be an IPv4 address such as 192.0.2.1.',
})

const Controllers = Type.Array(Address, {
  minItems: 1,
  maxItems: 16,
  uniqueItems: true,
  description: 'Addresses of the domain controllers.',
})

const account = {
  user: text({ minLength: 1, maxLength: 255, description: 'Account that may join computers to the domain.' }),
  password: text({
    'x-secret': true,
    minLength: 1,
    maxLength: 255,
    description: 'Used for the join only; neither stored nor returned.',
  }),
}

const LdapPaths = Type.Array(text({ minLength: 1, maxLength: 1024 }), {
  maxItems: 10,
  description: 'Where security groups are searched; an empty list means the whole forest.',
})

export const NewAdDomain = strictObject({
  name: AdName,
  computer_name: ComputerName,
  dns_ips: Controllers,
  ...account,
  ldap_paths: LdapPaths,
})
export type NewAdDomain = Static<typeof NewAdDomain>

export const AdRejoin = strictObject({ computer_name: ComputerName, ...account, ldap_paths: LdapPaths })
export type AdRejoin = Static<typeof AdRejoin>

export const AdDomain = strictObject({
  id: Type.String(),
  name: AdName,
  computer_name: ComputerName,
  dns_ips: Controllers,
  user: account.user,
  ldap_paths: LdapPaths,
})
export type AdDomain = Static<typeof AdDomain>

const notJoinedYet = 'This release stores the domain and does not join it yet'

const adEndpoints = collectionEndpoints({
  path: '/ad_backend/domains',
  title: 'AD domains',
  item: 'an AD domain',
  change: 'configure',
  idName: 'domain_id',
  fields: NewAdDomain,
  patch: AdRejoin,
  shown: AdDomain,
})

export const adDomains = {
  ...adEndpoints,
  create: { ...adEndpoints.create, description: `${notJoinedYet}; the directory status reports this.` },
  update: {
    ...adEndpoints.update,
    method: 'PUT',
    summary: 'Join an AD domain again',
    description: `Name and controllers stay as they are. ${notJoinedYet}; the directory status reports this.`,
  },
  remove: {
    ...adEndpoints.remove,
    description: 'Its group synchronizations are removed with it. The computer object stays in the directory.',
  },
} as const

export const joinStates = ['init', 'error', 'completed'] as const

export const NewAldDomain = strictObject({
  name: AldName,
  computer_name: ComputerName,
  dns_ips: Controllers,
  ...account,
})
export type NewAldDomain = Static<typeof NewAldDomain>

export const AldDomain = strictObject({
  id: Type.String(),
  name: AldName,
  computer_name: ComputerName,
  dns_ips: Controllers,
  status: oneOf(joinStates, 'Progress of the join.'),
  error: Type.String({ description: 'Why the join failed; empty otherwise.' }),
})
export type AldDomain = Static<typeof AldDomain>

const { update: _none, ...aldEndpoints } = collectionEndpoints({
  path: '/ald_backend/domains',
  title: 'ALD domains',
  item: 'an ALD domain',
  change: 'configure',
  idName: 'domain_name',
  fields: NewAldDomain,
  shown: AldDomain,
})

export const aldDomains = {
  ...aldEndpoints,
  create: { ...aldEndpoints.create, description: `${notJoinedYet}; its status reports this.` },
  remove: {
    ...aldEndpoints.remove,
    description: 'Refused while it is being joined. Its group synchronizations are removed with it.',
  },
} as const

const DirectoryGroup = strictObject({
  name: Type.String(),
  guid: Type.String({ description: 'objectGUID of the group.' }),
})

const DirectoryUnit = strictObject({
  name: Type.String(),
  guid: Type.String(),
  parent_guid: nullable(Type.String({ description: 'Null for the root.' })),
})

/** What is read from the directory itself: nothing from a domain that is not joined. */
const objectEndpoints = <P extends string>(path: P, kind: string) => ({
  groups: endpoint({
    method: 'GET',
    path: `${path}/domains/:domain_name/security_groups`,
    access: 'view',
    summary: `List the security groups of an ${kind} domain`,
    description: 'Empty while the domain is not joined.',
    reply: Type.Array(DirectoryGroup),
  }),
  tree: endpoint({
    method: 'GET',
    path: `${path}/domains/:domain_name/tree`,
    access: 'view',
    summary: `List the organizational units of an ${kind} domain`,
    description: 'All units including the root, as a flat list. Empty while the domain is not joined.',
    reply: Type.Array(DirectoryUnit),
  }),
})

export const adObjects = objectEndpoints('/ad_backend', 'AD')
export const aldObjects = objectEndpoints('/ald_backend', 'ALD')

export const showAdStatus = endpoint({
  method: 'GET',
  path: '/ad_backend/status',
  access: 'view',
  summary: 'Show the errors of the AD integration',
  reply: strictObject({
    msg: Type.Array(Type.String(), { description: 'Errors; `no_license` when the licence lacks the module.' }),
  }),
})

export const AdSettings = strictObject({
  authorization_by_logs: Type.Boolean({
    description: 'Authorize users by the security log of the domain controllers.',
  }),
})

export const adSettings = settingsEndpoints({
  path: '/ad_backend/settings',
  title: 'AD integration settings',
  change: 'configure',
  schema: AdSettings,
})

export const ImportSettings = strictObject({
  compatibility_mode: Type.Boolean({
    description: 'Slower import, for domains whose groups were imported incompletely.',
  }),
})

export const importSettings = settingsEndpoints({
  path: '/ad_backend/security_group_import_settings',
  title: 'security group import settings',
  change: 'configure',
  schema: ImportSettings,
})

export const ForwardZone = strictObject({
  id: Type.String(),
  name: Type.String(),
  servers: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  comment: Type.String(),
})

export const listForwardZones = endpoint({
  method: 'GET',
  path: '/ad_backend/forward_zones',
  access: 'view',
  summary: 'List the DNS forward zones of joined AD domains',
  reply: Type.Array(ForwardZone),
})
