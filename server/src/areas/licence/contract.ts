// Registration and licence information (docs/behaviour/licence.md). Module names are those of the wire.

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { oneOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const timedModules = [
  'active_directory',
  'kaspersky_av_for_web',
  'kaspersky_av_for_mail',
  'application_control',
  'suricata',
  'advanced_content_filter',
  'standard_content_filter',
  'ips_advanced_rules',
  'cluster',
] as const

const TimedModuleInfo = strictObject({
  available: Type.Boolean(),
  expiration_date: Type.Number({ 'x-time': 'unix', description: 'Unix seconds; 0 when not available.' }),
})

const UsersModuleInfo = strictObject({ available: Type.Boolean(), max_users_count: Type.Integer() })

export const LicenceModules = strictObject({
  active_directory: TimedModuleInfo,
  kaspersky_av_for_web: TimedModuleInfo,
  kaspersky_av_for_mail: TimedModuleInfo,
  application_control: TimedModuleInfo,
  suricata: TimedModuleInfo,
  advanced_content_filter: TimedModuleInfo,
  standard_content_filter: TimedModuleInfo,
  ips_advanced_rules: TimedModuleInfo,
  cluster: TimedModuleInfo,
  icsd: UsersModuleInfo,
})

export const LicenceGeneral = strictObject({
  available: Type.Boolean(),
  reason: Type.String({ description: 'Why the licence cannot be used; empty when it can.' }),
  not_upgrade_after: Type.Number({ 'x-time': 'unix' }),
  tech_support_end: Type.Number({ 'x-time': 'unix' }),
  start_date: Type.Number({ 'x-time': 'unix' }),
  expiration_date: Type.Number({ 'x-time': 'unix' }),
})

/** Without a licence only registered, has_connection and license_server are present. */
export const LicenceInfo = strictObject({
  modules: Type.Optional(LicenceModules),
  general: Type.Optional(LicenceGeneral),
  license_type: Type.Optional(Type.String()),
  license_id: Type.Optional(Type.String()),
  server_name: Type.Optional(Type.String()),
  last_update_time: Type.Optional(Type.Number({ 'x-time': 'unix' })),
  company_id: Type.Optional(Type.String()),
  server_id: Type.Optional(Type.String()),
  unreliable: Type.Optional(Type.Boolean()),
  registered: Type.Boolean(),
  has_connection: Type.Boolean({ description: 'Whether a licence server answers; this release contacts none.' }),
  license_server: Type.String(),
})
export type LicenceInfo = Static<typeof LicenceInfo>

export const longestToken = 16_384

export const registerLicence = endpoint({
  method: 'POST',
  path: '/license/register',
  access: 'configure',
  summary: 'Register the gateway with a licence token',
  description:
    'The token is a JWT signed with the operator’s key. Where the operator has not set a key, any token registers ' +
    'the gateway and every module is available.',
  body: strictObject({
    token: Type.String({
      'x-secret': true,
      minLength: 1,
      maxLength: longestToken,
      pattern: '^[A-Za-z0-9._~+/=-]+$',
      'x-fault': 'Must consist of letters, digits and . _ ~ + / = - only.',
    }),
  }),
})

export const showLicence = endpoint({
  method: 'GET',
  path: '/license/info',
  access: 'view',
  summary: 'Show the licence',
  reply: LicenceInfo,
})

export const UpdateType = strictObject({
  update_type: oneOf(
    ['auto', 'manual'],
    'auto: the licence is fetched; manual: it is uploaded. This release contacts no licence server, so auto fetches nothing.',
  ),
})

export const licenceUpdateType = settingsEndpoints({
  path: '/license/update-type',
  title: 'licence update settings',
  schema: UpdateType,
  change: 'configure',
})

export const showRegistrationUrl = endpoint({
  method: 'GET',
  path: '/license/license-get-offline-registration-url',
  errors: ['conflict'],
  access: 'view',
  summary: 'Show the address for manual registration',
  description:
    'Only while update_type is manual; otherwise 409. The query carries server_name, hwid and version, which the ' +
    'operator needs to sign a licence. This release has no licensing portal, so the host of the address is a reserved ' +
    'name that does not resolve.',
  reply: strictObject({ registration_url: Type.String() }),
})

export const uploadLicence = endpoint({
  method: 'PUT',
  path: '/license/license-upload',
  access: 'configure',
  summary: 'Upload a licence file',
  description: 'The body is the file itself: a JWT signed with the operator’s key, checked as in a registration.',
  rawBodyType: 'application/jwt',
})
