// Signing in and out, the signed-in administrator, the sessions, the blocked addresses and the closed accounts
// (docs/behaviour/sign-in.md).

import type { Static } from 'typebox'
import { roleIds } from '../../core/contract/access.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { nullable, oneOf, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

const competence = Type.Array(oneOf(['admin_write', 'admin_read', 'allow_terminal', 'reports_view', 'reports_change']))

export const signIn = endpoint({
  method: 'POST',
  path: '/web/auth/login',
  access: 'public',
  effect: 'action',
  summary: 'Sign in',
  errors: ['unauthenticated'],
  description:
    'Sets two cookies; every later call needs both. A login without an at sign is a local administrator, ' +
    '`name@domain` one of a directory, `name@radius` one of RADIUS.',
  body: strictObject({
    login: Type.String({ minLength: 1, maxLength: 320 }),
    password: Type.String({ 'x-secret': true, minLength: 1, maxLength: 256 }),
    rest_path: Type.String({ maxLength: 270, description: 'URL prefix the cookies are set for, such as / or /rest.' }),
  }),
})

export const signOut = endpoint({
  method: 'DELETE',
  path: '/web/auth/login',
  access: 'signed-in',
  effect: 'action',
  summary: 'Sign out',
})

export const showConsole = endpoint({
  method: 'GET',
  path: '/web/console',
  access: 'public',
  summary: 'Show which gateway this is',
  description: 'For the sign-in page of the console. The time zone is only shown to a session.',
  reply: strictObject({
    brand: Type.String(),
    host_name: Type.String(),
    certificate_sha256: nullable(
      Type.String({ description: 'Fingerprint of the certificate of the management interface; null without TLS.' }),
    ),
    time_zone: Type.Optional(Type.String({ description: 'Such as Europe/Berlin.' })),
  }),
})

export const whoAmI = endpoint({
  method: 'GET',
  path: '/web/whoami',
  access: 'signed-in',
  summary: 'Show who is signed in',
  reply: strictObject({
    login: Type.String(),
    name: Type.String(),
    role_id: oneOf(roleIds),
    role_name: Type.String(),
    competence,
  }),
})

export const ownSession = endpoint({
  method: 'GET',
  path: '/web/session',
  access: 'signed-in',
  summary: 'Show how long the session still lasts',
  description:
    'Every request restarts the time without activity, except for reads with the header `Portcullis-Background: 1`, ' +
    'which pages send for what they ask by themselves.',
  reply: strictObject({
    id: Type.String({ description: 'The handle of this session in the list of sessions.' }),
    seconds_left: Type.Integer({ 'x-unit': 'seconds', description: 'Until the session ends if nothing more is done.' }),
    fresh_seconds_left: Type.Integer({
      'x-unit': 'seconds',
      description:
        'For how long changes of administrators, reverts and restores need no new sign-in; 0: they need one.',
    }),
    admin_id: Type.String({ description: 'The id of your account.' }),
    must_change_password: Type.Boolean({
      description: 'You signed in with the first password: nothing else is possible before it is changed.',
    }),
  }),
})

export const AdminSession = strictObject({
  id: Type.String({ description: 'A handle to end the session with; it gives no access.' }),
  login: Type.String(),
  name: Type.String(),
  competence,
  role_id: oneOf(roleIds),
  role_name: Type.String(),
  domain_name: Type.String(),
  ip: Type.String(),
  auth_type: oneOf(['ad', 'ald', 'local', 'radius']),
  auth_rule_id: Type.String(),
  admin_id: Type.String(),
  login_timestamp: Type.Integer({ 'x-time': 'stamp', description: 'Time of the sign-in as YYYYMMDDhhmmss, UTC.' }),
  country_code: Type.String({ description: 'Country of the address from the country database; empty when unknown.' }),
})
export type AdminSession = Static<typeof AdminSession>

export const listSessions = endpoint({
  method: 'GET',
  path: '/monitor_backend/admin_sessions',
  access: 'view',
  summary: 'List the sessions of administrators',
  reply: Type.Array(AdminSession),
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/monitor_backend/admin_sessions/:session_id',
  access: 'signed-in',
  effect: 'action',
  summary: 'End a session',
  description: 'Your own session always; those of others with full access.',
})

export const listBlocks = endpoint({
  method: 'GET',
  path: '/web/auth/blocks',
  access: 'view',
  summary: 'List the addresses blocked after failed sign-ins',
  description: 'An IPv6 client is blocked with its whole network of 64 bits, which is shown as `2001:db8::/64`.',
  reply: Type.Array(
    strictObject({
      address: Type.String(),
      seconds_left: Type.Integer({ 'x-unit': 'seconds' }),
      realm: Type.Optional(oneOf(['users'], 'Blocked at the portal of users; absent for administrators.')),
    }),
  ),
})

export const liftBlocks = endpoint({
  method: 'DELETE',
  path: '/web/auth/blocks',
  access: 'configure',
  effect: 'action',
  summary: 'Unblock all addresses, for administrators and for users',
})

export const ClosedAccount = strictObject({
  admin_id: Type.String(),
  login: Type.String(),
  since: Type.Integer({ 'x-time': 'unix', description: 'Unix seconds.' }),
  failures: Type.Integer({ description: 'Failed sign-ins that closed the account.' }),
  addresses: Type.Integer({ description: 'Addresses they came from; an IPv6 network of 64 bits counts as one.' }),
})
export type ClosedAccount = Static<typeof ClosedAccount>

export const listClosedAccounts = endpoint({
  method: 'GET',
  path: '/web/auth/closed_accounts',
  access: 'view',
  summary: 'List the accounts closed after failed sign-ins',
  reply: Type.Array(ClosedAccount),
})

export const reopenAccount = endpoint({
  method: 'DELETE',
  path: '/web/auth/closed_accounts/:admin_id',
  access: 'configure',
  effect: 'action',
  summary: 'Reopen an account closed after failed sign-ins',
  description:
    'The password stays the same. A new password, or disabling and enabling the account, reopens it as well.',
})

export const signInStatus = endpoint({
  method: 'GET',
  path: '/web/auth/status',
  access: 'view',
  summary: 'Show whether accounts are closed after failed sign-ins',
  reply: Type.Array(StatusItem),
})
