// The portal of users: the sign-in page of web authorization and the personal pages (docs/behaviour/portal.md).

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { oneOf, StatusItem, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

export {
  endSession,
  listClosedUsers,
  listSessions,
  reopenUser,
  resetSecondFactor,
  showProviders,
  updateProviders,
} from './contract-sign-in.ts'

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** The last label begins with a letter, so that other notations of an address are not valid names. */
const domainPattern = `(?:${label}\\.)*[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`

const Title = text({ maxLength: 80, description: 'Heading of every page; empty means the one of the portal.' })

/** As free text elsewhere, and it may have several lines. */
const Text = Type.String({
  pattern: '^(?:[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]|\\n)*$',
  maxLength: 2000,
  description: 'Text above the sign-in form. A new line begins a paragraph; empty means the text of the portal.',
})

export const PortalSettings = strictObject({
  enabled: Type.Boolean({
    description: 'The personal portal is served also while web authorization does not need the portal.',
  }),
  title_en: Title,
  title_ru: Title,
  text_en: Text,
  text_ru: Text,
  accent_colour: Type.String({
    pattern: '^#[0-9a-fA-F]{6}$',
    examples: ['#1f6feb'],
    'x-fault': 'Must be a colour such as #1f6feb.',
    description: 'Colour of buttons and of the line above a page.',
  }),
  language: oneOf(['en', 'ru'], 'Language for browsers that ask for none of the portal.'),
  host: Type.String({
    maxLength: 253,
    pattern: `^(?:|${addressPattern}|${domainPattern})$`,
    'x-fault': 'Must be a domain name or an IPv4 address, or empty.',
    description:
      'Name or address that clients are sent to. Clients must resolve the name to this gateway. Empty means the ' +
      'address of the gateway in their network.',
  }),
  two_factor: oneOf(
    ['not_required', 'totp', 'smssvc', 'multifactor'],
    'What a sign-in asks for beside the password: nothing, a code of an authenticator application, of a text message, or a provider.',
  ),
})
export type PortalSettings = Static<typeof PortalSettings>

export const portalSettings = settingsEndpoints({
  path: '/user_cabinet_backend/settings',
  title: 'settings of the portal of users',
  schema: PortalSettings,
  change: 'accounts',
})

export const showPortalStatus = endpoint({
  method: 'GET',
  path: '/user_cabinet_backend/status',
  access: 'view',
  summary: 'Show the state of the portal of users',
  reply: Type.Array(StatusItem),
})
