// What waits in line inside the gateway, for health and metrics.

import type { Services } from '../../core/area/handle.ts'
import { say } from '../../shared/said.ts'
import { forwardingService, logServerService, logsService } from '../logs/service.ts'
import { healthService } from './service.ts'

/** More that wait for their turn mean that something holds changes up. */
const maxWaitingChanges = 1_000

/** Called once. */
export function addQueues(services: Services, changes: { readonly waiting: number }): void {
  const { audit } = services
  const logs = services.of(logsService)
  const health = services.of(healthService)
  const forwarding = services.of(forwardingService)
  const logServer = services.of(logServerService)
  const { monitor } = health
  monitor.addQueue({
    name: 'changes',
    title: say`Changes that wait for their turn`,
    limit: maxWaitingChanges,
    length: () => changes.waiting,
  })
  monitor.addQueue({
    name: 'audit',
    title: say`Audit records that are not stored yet`,
    limit: audit.queue.limit,
    length: () => audit.queue.waiting,
    lost: () => audit.queue.dropped,
  })
  const { queue } = logs
  if (queue)
    monitor.addQueue({
      name: 'log',
      title: say`Log records that are not stored yet`,
      limit: queue.limit,
      length: () => logs.queue?.waiting ?? 0,
      lost: () => logs.queue?.lost ?? 0,
    })
  // They wait in the log itself, as long as it keeps them.
  if (forwarding)
    monitor.addQueue({
      name: 'forwarding',
      title: say`Log records that the collector does not have yet`,
      limit: null,
      length: () => forwarding.report()?.waiting ?? 0,
      lost: () => forwarding.report()?.lost ?? 0,
    })
  if (logServer)
    monitor.addQueue({
      name: 'log-server',
      title: say`Log records that the log server does not have yet`,
      limit: null,
      length: () => logServer().waiting,
      lost: () => logServer().lost,
    })
}
