// Settings of the portal of users (docs/behaviour/portal.md).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../contract/collections.ts'
import { oneOf, strictObject, text } from '../../contract/fields.ts'
import { Type } from '../../contract/schema.ts'

export {
  endSession,
  listClosedUsers,
  listSessions,
  reopenUser,
  resetSecondFactor,
  showProviders,
  updateProviders,
} from './contract-sign-in.ts'

export const twoFactors = ['not_required', 'totp', 'smssvc', 'multifactor'] as const

export const PortalSettings = strictObject({
  enabled: Type.Boolean({ description: 'The personal portal is on.' }),
  title_en: text({ maxLength: 80 }),
  title_ru: text({ maxLength: 80 }),
  text_en: text({ maxLength: 2_000 }),
  text_ru: text({ maxLength: 2_000 }),
  accent: Type.String({
    pattern: '^#[0-9a-f]{6}$',
    'x-fault': 'Must be a colour such as #1a6fb0.',
    examples: ['#1a6fb0'],
  }),
  host: text({
    maxLength: 253,
    description: 'Name or address of the portal for clients; empty: the address of the gateway.',
  }),
  two_factor: oneOf(twoFactors, 'What users must show beside their password.'),
})
export type PortalSettings = Static<typeof PortalSettings>

export const portalSettings = settingsEndpoints({
  path: '/user_cabinet_backend/settings',
  title: 'settings of the portal of users',
  schema: PortalSettings,
  change: 'configure',
})
