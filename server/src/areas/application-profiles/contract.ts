// Application control profiles, which firewall rules name as dpi_profile (docs/behaviour/application-profiles.md).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, CreatedString, oneOf, patchOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const Protocol = strictObject({
  id: Type.String({
    'x-refers': ['application'],
    pattern: '^id\\.l7\\.[a-z0-9_]{1,64}$',
    'x-fault': 'Must be the id of an application protocol, such as id.l7.bittorrent.',
  }),
  action: oneOf(['deny', 'allow']),
})

const fields = {
  name: text({ minLength: 1, maxLength: 255 }),
  comment: Comment,
  protocols: Type.Array(Protocol, { maxItems: 1_000, description: 'An application that is not listed is allowed.' }),
}
const ProfileFields = strictObject(fields)

export const ApplicationProfile = strictObject({ id: Type.String(), ...fields })
export type ApplicationProfile = Static<typeof ApplicationProfile>

const Patch = patchOf(ProfileFields)

const KnownApplication = strictObject({
  id: Type.String(),
  name: Type.String(),
  group: Type.String({ description: 'One of 29 groups, in English.' }),
  recognised: Type.Boolean({ description: 'False: a profile can list it, and this release does not recognise it.' }),
  how: Type.Array(oneOf(['protocol', 'name', 'bytes']), {
    description:
      'protocol: the engine detects its protocol; name: its servers are known by name; bytes: by how it starts a connection.',
  }),
})

const path = '/api/application_control/profiles'
const bodyLimitBytes = 256 * 1024

export const applicationProfiles = {
  list: endpoint({
    method: 'GET',
    path,
    access: 'view',
    summary: 'List the application control profiles',
    reply: Type.Array(ApplicationProfile),
  }),
  create: endpoint({
    method: 'POST',
    path,
    access: 'firewall',
    summary: 'Add an application control profile',
    body: ProfileFields,
    reply: Type.Array(ApplicationProfile, { description: 'One element: the new profile.' }),
    bodyLimitBytes,
  }),
  copy: endpoint({
    method: 'POST',
    path: `${path}/:profile_id/copy`,
    access: 'firewall',
    summary: 'Copy an application control profile',
    reply: CreatedString,
  }),
  update: endpoint({
    method: 'PATCH',
    path: `${path}/:profile_id`,
    access: 'firewall',
    summary: 'Change an application control profile',
    description: 'Any subset of the fields, as an object or as the only element of a list; what is not sent stays.',
    body: Type.Union([Patch, Type.Array(Patch, { minItems: 1, maxItems: 1 })]),
    bodyLimitBytes,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${path}/:profile_id`,
    access: 'firewall',
    summary: 'Remove an application control profile',
  }),
}

export const knownApplications = {
  list: endpoint({
    method: 'GET',
    path: '/application_control/applications',
    access: 'view',
    summary: 'List the applications that application control knows',
    reply: Type.Array(KnownApplication),
  }),
}
