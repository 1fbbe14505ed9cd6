// Who a request comes from: the administrator of its session, as of now.

import { administrators, findById } from '../areas/administrators/config.ts'
import type { FirstPassword } from '../core/accounts/first-password.ts'
import type { Sessions } from '../core/accounts/sessions.ts'
import type { CookieNames } from '../core/area/cookies.ts'
import type { Identity } from '../core/area/handle.ts'
import type { ConfigEngine } from '../core/config/engine.ts'
import { createIdentityFinder, type FindIdentity } from './http/request.ts'

export function createIdentities(
  names: CookieNames,
  engine: ConfigEngine,
  sessions: Sessions,
  firstPassword: FirstPassword,
): FindIdentity {
  const madeFrom = new WeakMap<Identity, unknown>()

  function identityOf(session: Identity['session']): Identity | null {
    const admin = findById(engine.config, session.adminId)
    if (!admin?.enabled) return null
    const { id: adminId, login, name, role } = admin
    return { adminId, login, name, role, mustChangePassword: firstPassword.mustBeChanged(admin), session }
  }

  /** The same object while nothing about the administrators changed, so that frequent requests need no look-up. */
  function refreshed(identity: Identity): Identity | null {
    const current = engine.config[administrators.key]
    if (madeFrom.get(identity) === current) return identity
    const next = identityOf(identity.session)
    if (next && current) madeFrom.set(next, current)
    return next
  }

  return createIdentityFinder(
    names,
    (session, secures, isActivity) => {
      const opened = sessions.open(session, secures, isActivity)
      return opened && identityOf(opened)
    },
    (identity, isActivity) => {
      const isOpen = isActivity ? sessions.touch(identity.session) : sessions.isValid(identity.session)
      return isOpen ? refreshed(identity) : null
    },
  )
}
