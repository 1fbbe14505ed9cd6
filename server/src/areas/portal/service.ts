// What runs for the portal, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { AuthStart } from './runs/auth-journal.ts'
import type { PortalState } from './runs/portal-state.ts'
import type { CallProvider } from './runs/provider-call.ts'

export interface CodeProvider {
  /** The address of a name to which a code may be sent, or a sentence that says why there is none. */
  lookUp(name: string): Promise<{ readonly address: string } | { readonly fault: string }>
  readonly call: CallProvider
}

/** Open sessions that an earlier release noted elsewhere. */
export const earlierSessionsService = service<readonly AuthStart[]>('sessions of an earlier release')
/** Sign-ins of users at the portal. */
export const portalService = service<PortalState>('portal')
/** Reaches the providers that deliver codes. */
export const codeProviderService = optionalService<CodeProvider>('providers of codes')
/** The socket that portald asks. */
export const portalSocketService = optionalService<object>('socket of the portal')
