// What runs for the web proxy, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { WebProxyState } from '../../core/plan/facts.ts'

/** Whether the web proxy answers, null while it need not. */
export const webProxyService = optionalService<{ state(): WebProxyState | null }>('watch of the web proxy')
/** A new authority for the web proxy, both parts as PEM. */
export const webAuthorityService =
  service<() => Promise<{ readonly certificate: string; readonly key: string }>>('authority of the web proxy')
