// Who is signed in at the portal, second factors and the providers that deliver codes (docs/behaviour/portal.md).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { oneOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const PortalSession = strictObject({
  id: Type.String({ description: 'A handle to end the session with; it gives no access.' }),
  user_id: Type.Integer({ 'x-refers': ['user'] }),
  login: Type.String(),
  name: Type.String(),
  ip: Type.String({ description: 'Where the session was last used from.' }),
  country_code: Type.String({ description: 'Country of the address; empty when unknown.' }),
  status: oneOf(
    ['authorized', 'waiting_2fa', 'generating_totp'],
    'Signed in, waiting for a code, or waiting for the first code of a new authenticator app.',
  ),
  start: Type.Integer({ 'x-time': 'stamp', description: 'YYYYMMDDhhmmss in the time zone of the gateway.' }),
})
export type PortalSession = Static<typeof PortalSession>

export const listSessions = endpoint({
  method: 'GET',
  path: '/user_cabinet_backend/sessions',
  access: 'view',
  summary: 'List the sessions of users at the portal',
  reply: Type.Array(PortalSession),
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/user_cabinet_backend/sessions/:session_id',
  access: 'accounts',
  effect: 'action',
  summary: 'End a session of a user at the portal',
  description: 'Sessions of hosts on the network are not affected.',
})

export const resetSecondFactor = endpoint({
  method: 'DELETE',
  path: '/user_backend/users/:user_id/second_factor',
  access: 'accounts',
  summary: 'Remove the authenticator app of a user',
  description:
    'The id may be written as the number alone. The user takes over a new secret at the next sign-in that needs a code.',
})

export const ClosedUser = strictObject({
  user_id: Type.Integer({ 'x-refers': ['user'] }),
  login: Type.String(),
  since: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds.' }),
  failures: Type.Integer({ description: 'Failed sign-ins that closed the account.' }),
  addresses: Type.Integer({ description: 'Addresses they came from.' }),
})
export type ClosedUser = Static<typeof ClosedUser>

export const listClosedUsers = endpoint({
  method: 'GET',
  path: '/user_backend/closed_accounts',
  access: 'view',
  summary: 'List the users whose accounts were closed after failed sign-ins',
  reply: Type.Array(ClosedUser),
})

export const reopenUser = endpoint({
  method: 'DELETE',
  path: '/user_backend/closed_accounts/:user_id',
  access: 'accounts',
  effect: 'action',
  summary: 'Reopen the account of a user closed after failed sign-ins',
  description:
    'The id may be written as the number alone. A new password given by an administrator reopens it as well.',
})

const Url = Type.String({
  maxLength: 400,
  pattern:
    '^(?:https://[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[1-9][0-9]{0,4})?(?:/(?:[A-Za-z0-9._~/?=&-]*|\\*{3}))?)?$',
  'x-fault': 'Must be an address such as https://sms.example.com/send, or empty.',
  'x-hidden-path': true,
  examples: ['https://sms.example.com/send'],
})

const provider = {
  enabled: Type.Boolean(),
  url: Url,
  timeout_seconds: Type.Integer({
    'x-unit': 'seconds',
    minimum: 1,
    maximum: 30,
    description: 'A call that takes longer has failed.',
  }),
}

export const codeMark = '{code}'

const SmsText = Type.String({
  minLength: 6,
  maxLength: 160,
  pattern:
    '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*\\{code\\}[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff]*$',
  'x-fault': 'Must be one line of text that contains {code}.',
  examples: ['Your code is {code}.'],
  description: 'Text of the message; {code} is replaced by the code.',
})

const Key = Type.Optional(
  Type.String({
    'x-secret': true,
    maxLength: 256,
    pattern: '^[\\u0021-\\u007e]*$',
    'x-fault': 'Must consist of letters, digits and punctuation without spaces.',
    examples: ['0123456789abcdef'],
    description: 'Sent to the provider in the Authorization header. Never returned; empty removes it.',
  }),
)

export const providerNames = ['smssvc', 'multifactor'] as const
export type ProviderName = (typeof providerNames)[number]

export const Providers = strictObject({
  smssvc: strictObject({ ...provider, text: SmsText }),
  multifactor: strictObject(provider),
  keys: Type.Array(oneOf(providerNames), { description: 'Providers whose key is stored.' }),
})
export type Providers = Static<typeof Providers>

const optional = {
  enabled: Type.Optional(provider.enabled),
  url: Type.Optional(provider.url),
  timeout_seconds: Type.Optional(provider.timeout_seconds),
  key: Key,
}

export const ProvidersPatch = strictObject({
  smssvc: Type.Optional(strictObject({ ...optional, text: Type.Optional(SmsText) })),
  multifactor: Type.Optional(strictObject(optional)),
})
export type ProvidersPatch = Static<typeof ProvidersPatch>

export const showProviders = endpoint({
  method: 'GET',
  path: '/user_cabinet_backend/second_factor_providers',
  access: 'view',
  summary: 'Show the providers that deliver codes to users',
  reply: Providers,
})

export const updateProviders = endpoint({
  method: 'PATCH',
  path: '/user_cabinet_backend/second_factor_providers',
  access: 'configure',
  summary: 'Change the providers that deliver codes to users',
  description:
    'Any subset of the fields; what is not sent stays. A code is sent with `POST <url>` and the JSON `{"to", "text"}` for an SMS, ' +
    '`{"login", "code"}` for a multifactor provider. Only status 200 and `{"status": "accepted"}` count as delivered.',
  body: ProvidersPatch,
})
