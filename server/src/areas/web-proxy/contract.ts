// The web proxy under the content filter: how clients reach it, what it leaves alone, the authority it signs with, and the
// web antivirus (docs/behaviour/web-proxy.md). Additions of ours: the interface names these features and has no calls for them.

import type { Static } from 'typebox'
import { addressKinds, refers } from '../../core/contract/annotations.ts'
import { collectionEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, Enabled, oneOf, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const ProxySettings = strictObject({
  direct_enabled: Type.Boolean({
    description: 'Clients of local networks may name the gateway as their proxy; the proxy file (WPAD) then says so.',
  }),
  direct_port: Type.Integer({ minimum: 1024, maximum: 65_535, description: 'TCP port of the direct proxy.' }),
  logging_enabled: Type.Boolean({ description: 'Keep a record of every web request.' }),
  on_failure: oneOf(
    ['block', 'pass'],
    'What happens to web traffic while the filter cannot decide: block it, or pass it without filtering.',
  ),
})
export type ProxySettings = Static<typeof ProxySettings>

export const proxySettings = settingsEndpoints({
  path: '/proxy_backend/settings',
  title: 'settings of the web proxy',
  schema: ProxySettings,
  change: 'firewall',
})

const ObjectId = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,80}$', 'x-fault': 'Must be the id of an object.' })
const objects = (description: string) =>
  Type.Array(refers(['any', ...addressKinds], ObjectId), { minItems: 1, maxItems: 200, uniqueItems: true, description })

const exclusionFields = {
  sources: objects('["any"] or ids of users, groups and address objects: whose traffic is left alone.'),
  destinations: objects('["any"] or ids of address objects and domains: traffic to these is left alone.'),
  comment: Comment,
  enabled: Type.Boolean(),
}
export const Exclusion = strictObject({ id: Type.String(), ...exclusionFields })
export type Exclusion = Static<typeof Exclusion>

const NewExclusion = strictObject({
  ...exclusionFields,
  comment: Type.Optional(exclusionFields.comment),
  enabled: Type.Optional(exclusionFields.enabled),
})

export const exclusions = collectionEndpoints({
  path: '/proxy_backend/exclusions',
  title: 'exclusions of the web proxy',
  item: 'an exclusion of the web proxy',
  idName: 'exclusion_id',
  change: 'firewall',
  fields: NewExclusion,
  shown: Exclusion,
})

const pemPattern = '^[\\t\\n\\r -~]*$'

export const Certificate = strictObject({
  origin: oneOf(['none', 'made', 'uploaded'], 'none: one is made when the filter is first switched on.'),
  subject: Type.String(),
  fingerprint: Type.String({ description: 'SHA-256, in pairs of hexadecimal digits.' }),
  not_before: Type.Integer({ 'x-time': 'unix' }),
  not_after: Type.Integer({ 'x-time': 'unix' }),
  certificate: Type.String({ description: 'PEM, for clients. The key never leaves the gateway.' }),
  addresses: Type.Array(Type.String(), { description: 'Where clients can download it.' }),
})
export type Certificate = Static<typeof Certificate>

const certificatePath = '/proxy_backend/certificate'

export const certificate = {
  show: endpoint({
    method: 'GET',
    path: certificatePath,
    access: 'view',
    summary: 'Show the certificate authority of the web proxy',
    reply: Certificate,
  }),
  upload: endpoint({
    method: 'PUT',
    path: certificatePath,
    access: 'configure',
    summary: 'Use a certificate authority with its key',
    bodyLimitBytes: 256 * 1024,
    description: 'PEM. The key must fit the certificate, which must be allowed to sign others.',
    body: strictObject({
      certificate: Type.String({ minLength: 1, maxLength: 65_536, pattern: pemPattern, 'x-lines': true }),
      private_key: Type.String({ minLength: 1, maxLength: 65_536, pattern: pemPattern, 'x-lines': true }),
    }),
    needsFreshSignIn: true,
  }),
  make: endpoint({
    method: 'POST',
    path: `${certificatePath}/make`,
    access: 'configure',
    summary: 'Make a new certificate authority',
    description: 'Clients must trust the new one; the old one is forgotten.',
    needsFreshSignIn: true,
  }),
}

export const antivirusState = settingsEndpoints({
  path: '/av_backend/state',
  title: 'state of the web antivirus',
  schema: Enabled,
  change: 'firewall',
})

const statusEndpoint = (path: string, what: string) =>
  endpoint({
    method: 'GET',
    path,
    access: 'view',
    summary: `Show the status of the ${what}`,
    reply: Type.Array(StatusItem),
  })

export const proxyStatus = statusEndpoint('/proxy_backend/status', 'web proxy')
export const antivirusStatus = statusEndpoint('/av_backend/status', 'web antivirus')
