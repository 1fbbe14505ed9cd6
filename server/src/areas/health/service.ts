// What runs for health, by name. How it is made is in runs.ts.

import { optionalService, service } from '../../core/area/service.ts'
import type { MachineLoad } from '../../core/contract/health.ts'
import type { ConflictBook } from './runs/conflicts.ts'
import type { Health } from './runs/health.ts'
import type { SendMail } from './runs/mail.ts'
import type { CallWebhook } from './runs/webhook.ts'

/** How notifications leave the gateway. */
export interface NoticeSenders {
  /** The address of a name to which something may be sent, or a sentence that says why there is none. */
  lookUp(name: string): Promise<{ readonly address: string } | { readonly fault: string }>
  readonly mail: SendMail
  readonly webhook: CallWebhook
}

/** Checks, charts, notifications and the token for metrics. */
export const healthService = service<Health>('health')
/** What of the machine gets in the way of the gateway. */
export const conflictsService = service<Pick<ConflictBook, 'list' | 'recent' | 'follow' | 'look'>>('conflicts')
/** Numbers of the machine now. */
export const machineLoadService = optionalService<() => MachineLoad>('load of the machine')
/** Sends notifications. */
export const noticesService = optionalService<NoticeSenders>('notices')
export const healthChecksService = optionalService<object>('health checks')
