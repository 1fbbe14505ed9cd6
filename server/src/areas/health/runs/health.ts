// The health of the gateway in one place: checks, what is remembered of them, who is notified, numbers over time, and the token
// for metrics. What is checked and how a notification is worded is in areas/health.

import { join } from 'node:path'
import type { Deliver, Target } from '../../../core/contract/health.ts'
import type { Reserve } from '../../../core/database/database.ts'
import type { Clock } from '../../../shared/time/clock.ts'
import { ChartStore } from './charts.ts'
import { HealthMemory } from './health-memory.ts'
import { MetricsToken } from './metrics-token.ts'
import { HealthMonitor } from './monitor.ts'
import { Notifier } from './notifier.ts'

export interface HealthParts {
  /** Where the gateway keeps its files. */
  readonly folder: string
  readonly clock: Clock
  readonly aging: () => number
  readonly reserve?: Reserve
  /** Who is notified; those that are disabled are not listed. */
  readonly targets: () => readonly Target[]
  readonly deliver: Deliver
  readonly onFault: (source: string, error: unknown) => void
}

export interface Health {
  readonly monitor: HealthMonitor
  readonly memory: HealthMemory
  readonly notifier: Notifier
  readonly charts: ChartStore
  readonly token: MetricsToken
  close(): void
}

export const chartsFile = 'charts.db'

export function createHealth({ folder, clock, aging, reserve, targets, deliver, onFault }: HealthParts): Health {
  const memory = new HealthMemory(join(folder, 'health.json'))
  const monitor = new HealthMonitor({
    clock,
    settled: memory.settled,
    onSettled: (change, before) => memory.settle(change, before, targets()),
    onFault,
  })
  const isWanted = (id: string): boolean => targets().some((target) => target.id === id)
  const charts = new ChartStore(join(folder, chartsFile), reserve)
  return {
    monitor,
    memory,
    notifier: new Notifier({ memory, clock, aging, isWanted, deliver }),
    charts,
    token: new MetricsToken(join(folder, 'metrics-token.json')),
    close: () => charts.close(),
  }
}
