// A session that began with the first password, on a machine that is itself the gateway, can only change that password
// (docs/decisions/0036-first-password.md).

import type { IncomingHttpHeaders } from 'node:http'
import type { Identity } from '../../core/area/handle.ts'
import { type Endpoint, nameOf } from '../../core/contract/endpoint.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'
import { confirmHeader } from './request.ts'

const changeAdministrator = 'PATCH /web/admins/local/:admin_id'
const openBefore: ReadonlySet<string> = new Set(['GET /web/whoami', 'GET /web/session', 'DELETE /web/auth/login'])

/** What of a request decides. `id` is the one in the path. */
interface Asked {
  readonly endpoint: Endpoint | undefined
  readonly id: unknown
  readonly headers: IncomingHttpHeaders
}

/** The handler takes no other field than the password. A change on probation would bring the first password back. */
export function checkPasswordChanged(identity: Identity | null, { endpoint, id, headers }: Asked): void {
  if (!identity?.mustChangePassword || endpoint?.access === 'public') return
  const name = endpoint ? nameOf(endpoint) : ''
  const isOwnChange = name === changeAdministrator && id === identity.adminId
  if (openBefore.has(name) || (isOwnChange && headers[confirmHeader] === undefined)) return
  const call = changeAdministrator.replace(':admin_id', identity.adminId)
  const send = '{"password": "<new password>"}'
  throw new GatewayError(
    'forbidden',
    isOwnChange
      ? say`The first password must be changed before anything else: send ${send} to ${call}, then sign in again. A change on probation does not count.`
      : say`The first password must be changed before anything else: send ${send} to ${call}, then sign in again.`,
  )
}
