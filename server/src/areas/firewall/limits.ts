// The limits of tracked connections as stored, and as they are in force on this machine.

import type { Problem } from '../../core/contract/error.ts'
import type { Finding } from '../../core/contract/health.ts'
import { declareSettings } from '../../core/model/declarations.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import {
  automaticLimit,
  automaticTotal,
  type ConnectionLimits as Limits,
} from '../../domain/policy/connection-limits.ts'
import { say } from '../../shared/said.ts'
import { tableSizeFor } from '../network/public.ts'
import { connectionLimits } from './config.ts'
import { type ConnectionLimits, fewestConnections } from './contract-limits.ts'

const fields = ['local_host', 'outside_host', 'forwarded'] as const

export const limitSettings = declareSettings<ConnectionLimits>({
  slot: connectionLimits,
  noun: 'limits of tracked connections',
  problemsOf: (_config, limits): Problem[] =>
    fields
      .filter((field) => limits[field] > 0 && limits[field] < fewestConnections)
      .map((field) => ({ field, message: say`Must be 0 or at least ${fewestConnections}.` })),
})

/** What the kernel enforces for each host. */
export function limitsInForce(config: Config, { memoryBytes }: Facts): Limits {
  const { local_host, outside_host } = read(config, connectionLimits)
  const automatic = automaticLimit(tableSizeFor(memoryBytes))
  return { localHost: local_host || automatic, outsideHost: outside_host || automatic }
}

/** From so many tracked connections on none is forwarded; always below the size of the table. */
export function totalInForce(config: Config, tableSize: number): number {
  const { forwarded } = read(config, connectionLimits)
  const automatic = automaticTotal(tableSize)
  return forwarded === 0 ? automatic : Math.min(forwarded, automatic)
}

const mostNamed = 5

/** For the health of the machine. */
export function limitFindings({
  hosts,
  isFull,
}: {
  readonly hosts: readonly string[]
  readonly isFull: boolean
}): Finding[] {
  const [id, title] = ['connection-limits', say`Limits of connections`]
  const advice = say`Look at what these hosts do in the traffic monitor, or raise the limit in the firewall settings.`
  const named = [...hosts.slice(0, mostNamed), ...(hosts.length > mostNamed ? ['…'] : [])].join(', ')
  if (isFull) {
    const message = [
      say`New connections through the gateway are refused, because too many are tracked.`,
      hosts.length > 0 ? say`At their limit: ${named}.` : '',
    ]
    return [{ id, title, state: 'failed', message, advice }]
  }
  if (hosts.length > 0) {
    const message = say`New connections are refused to hosts that have too many: ${named}.`
    return [{ id, title, state: 'warning', message, advice }]
  }
  return [{ id, title, state: 'ok', message: say`No host has more connections than it may.`, advice: '' }]
}
