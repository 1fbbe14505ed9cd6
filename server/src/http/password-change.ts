// A session that began with the first password, on a machine that is itself the gateway, can only change that password
// (docs/decisions/0036-first-password.md).

import { type Endpoint, nameOf } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/error.ts'
import type { Identity } from './handle.ts'

const changeAdministrator = 'PATCH /web/admins/local/:admin_id'
const openBefore: ReadonlySet<string> = new Set(['GET /web/whoami', 'DELETE /web/auth/login'])

/** `id` is the one in the path. The handler takes no other field than the password. */
export function checkPasswordChanged(identity: Identity | null, endpoint: Endpoint | undefined, id: unknown): void {
  if (!identity?.mustChangePassword || endpoint?.access === 'public') return
  const name = endpoint ? nameOf(endpoint) : ''
  if (openBefore.has(name) || (name === changeAdministrator && id === identity.adminId)) return
  throw new GatewayError(
    'forbidden',
    `The first password must be changed before anything else: send {"password": "<new password>"} to ` +
      `${changeAdministrator.replace(':admin_id', identity.adminId)}, then sign in again.`,
  )
}
