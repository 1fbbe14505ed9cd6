// gatewayd's end of the portal: what each verb of its socket does, and the clock that ends sessions.

import type { Services } from '../../core/area/handle.ts'
import { read } from '../../core/model/slots.ts'
import type { PortalVerb, PortalVerbs } from '../../engines/portal/protocol.ts'
import { users } from '../users/public.ts'
import { changePassword, endInvalid, endOwnSession, hostState, personalPage, signOut } from './actions-personal.ts'
import { confirm, signIn } from './actions-sign-in.ts'
import { portalService } from './service.ts'

type PortalActions = {
  readonly [V in PortalVerb]: (args: PortalVerbs[V]['args']) => Promise<PortalVerbs[V]['result']>
}

export const portalActions = (services: Services): PortalActions => ({
  host: (args) => hostState(services, args),
  signIn: (args) => signIn(services, args),
  confirm: (args) => confirm(services, args),
  personal: async (args) => personalPage(services, args),
  endSession: (args) => endOwnSession(services, args),
  changePassword: (args) => changePassword(services, args),
  signOut: (args) => signOut(services, args),
})

const lookMilliseconds = 30_000

/** Sessions of users who changed end at once, idle ones within half a minute. */
export function followPortalUsers(services: Services): { stop(): void } {
  let known = read(services.engine.config, users)
  services.engine.onChanged(() => {
    const now = read(services.engine.config, users)
    if (now === known) return
    known = now
    endInvalid(services)
  })
  const timer = setInterval(() => services.of(portalService).sessions.endExpired(), lookMilliseconds).unref()
  return { stop: () => clearInterval(timer) }
}
