// The status of health itself: what the checks say, and whether those who want to know of it can be reached.

import type { Services } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import type { HealthState } from '../../core/contract/health.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Conflict } from '../../core/plan/artifacts.ts'
import { printSaid, say } from '../../shared/said.ts'
import { mailTargets, webhooks } from './config.ts'
import type { HealthCheck } from './contract.ts'
import { conflictsService, healthService, noticesService } from './service.ts'

type Counts = Record<HealthState, number>

export function countsOf(checks: readonly HealthCheck[]): Counts {
  const counts: Counts = { ok: 0, warning: 0, failed: 0, unknown: 0 }
  for (const { state } of checks) counts[state]++
  return counts
}

/** The worst; without any check nothing is known. */
export function worstOf(counts: Counts): HealthState {
  if (counts.failed > 0) return 'failed'
  if (counts.warning > 0) return 'warning'
  return counts.ok > 0 ? 'ok' : 'unknown'
}

export function healthStatusItems(config: Config, services: Services): StatusItem[] {
  const { monitor, charts, memory } = services.of(healthService)
  const checks = monitor.list()
  const bad = checks.filter(({ state }) => state === 'failed' || state === 'warning')
  const isFailed = checks.some(({ state }) => state === 'failed')
  return [
    {
      name: 'checks',
      status: monitor.looks === 0 ? 'activating' : isFailed ? 'failed' : 'active',
      msg: bad.map(({ title, message, advice }) => printSaid([say`${title}: ${message}`, advice])),
    },
    {
      name: 'charts',
      status: charts.fault === null ? 'active' : 'failed',
      msg: charts.fault === null ? [] : [say`Numbers are not kept: ${charts.fault}`],
    },
    ...services.of(conflictsService).list().map(conflictItem),
    ...(memory.isWritten
      ? []
      : [
          {
            name: 'notifications',
            status: 'failed' as const,
            msg: [say`The disk takes nothing: after a restart a notification may be sent twice.`],
          },
        ]),
    ...read(config, mailTargets).map((target) => targetItem(services, `mail-${target.title}`, target)),
    ...read(config, webhooks).map((target) => targetItem(services, `webhook-${target.title}`, target)),
  ]
}

/** Something that will hurt later is not a failure yet. */
const conflictItem = ({ code, severity, title, detail, fix }: Conflict): StatusItem => ({
  name: `conflict-${code}`,
  status: severity === 'fault' ? 'failed' : 'active',
  msg: [say`${title}. ${detail}`, say`Repair it with: ${fix}`],
})

function targetItem(
  services: Services,
  name: string,
  { id, enabled }: { readonly id: string; readonly enabled: boolean },
): StatusItem {
  const health = services.of(healthService)
  const notices = services.of(noticesService)
  if (!enabled) return { name, status: 'inactive', msg: [say`The notification is disabled.`] }
  if (!notices) return { name, status: 'inactive', msg: [say`Stored; nothing is sent from here.`] }
  const { waiting, fault } = health.notifier.stateOf(id)
  const queue = waiting === 0 ? [] : [say`${waiting} notices wait to be delivered.`]
  if (fault !== null)
    return { name, status: 'failed', msg: [say`The last notification was not delivered. ${fault}`, ...queue] }
  return { name, status: 'active', msg: queue }
}

/** More than anyone reads at once; the counts have all. */
const maxTold = 50

/** What is told to those who listen: all in numbers, and what failed. */
export function healthEvent(all: readonly (HealthCheck & { readonly source: string })[]) {
  const checks = all.map(({ source: _source, ...check }) => check)
  const counts = countsOf(checks)
  return { state: worstOf(counts), counts, checks: checks.filter(({ state }) => state !== 'ok').slice(0, maxTold) }
}
