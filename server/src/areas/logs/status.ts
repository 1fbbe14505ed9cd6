// The status of the log store, and of log forwarding: whether the collector takes records, and how many wait
// or were lost.

import type { Services } from '../../core/area/handle.ts'
import { counted } from '../../core/contract/counted.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { logKindNames, logKinds } from '../../domain/logs/kinds.ts'
import type { StoreState } from '../../domain/logs/store.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { logLimitsOf, remoteSyslog, remoteSyslogState } from './config.ts'
import type { LogUsage } from './contract.ts'
import { forwardingService, logServerService } from './service.ts'

export function logStoreItems({ fault, notice, lost }: StoreState, brand: string): StatusItem[] {
  const lostNote = lost > 0 ? [say`${counted(lost, 'record was', 'records were')} lost since the start.`] : []
  const msg = [...(fault === null ? [] : [fault]), ...(notice === undefined ? [] : [notice]), ...lostNote]
  return [{ name: `${brand}-logs-syncer`, status: fault === null ? 'active' : 'failed', msg }]
}

/** Without a log server there is nothing to show. */
export function logServerItems({ brand, of }: Pick<Services, 'brand' | 'of'>): StatusItem[] {
  const logServer = of(logServerService)
  if (!logServer) return []
  const { name, fault, waiting, lost } = logServer()
  return [
    {
      name: `${brand}-logs-server`,
      status: fault === null ? 'active' : 'failed',
      msg: [
        ...(fault === null
          ? [say`Records are sent to the log server ${name}.`]
          : [fault, say`Until then questions are answered from the records that the gateway itself keeps.`]),
        ...(waiting === 0 ? [] : [say`Records that wait: ${waiting}.`]),
        ...(lost === 0 ? [] : [say`Records lost, because they were removed before they could be sent: ${lost}.`]),
      ],
    },
  ]
}

export function logUsageOf(config: Config, { bytes, maxBytes, lost, kinds }: StoreState): LogUsage {
  const { days } = logLimitsOf(config, null)
  const states = new Map(kinds.map((state) => [state.kind, state]))
  return {
    bytes,
    max_bytes: maxBytes,
    lost,
    kinds: logKindNames.map((kind) => {
      const { records = 0, bytes: ofKind = 0, oldest = null } = states.get(kind) ?? {}
      const { title, days: declared } = logKinds[kind]
      return { kind, title, days: days[kind] ?? declared, records, bytes: ofKind, oldest }
    }),
  }
}

export function remoteSyslogItems(
  config: Config,
  { brand, clock, of }: Pick<Services, 'brand' | 'clock' | 'of'>,
): StatusItem[] {
  const item = (status: StatusItem['status'], ...msg: SaidText[]): StatusItem[] => [
    { name: `${brand}-logs-backend`, status, msg },
  ]
  const { host, port, protocol } = read(config, remoteSyslog)
  if (!read(config, remoteSyslogState).enabled) return item('inactive', say`Forwarding is switched off.`)
  if (host === null || port === null) return item('inactive', say`The address or the port of the collector is missing.`)
  const forwarding = of(forwardingService)
  if (!forwarding)
    return item('inactive', say`Nothing is sent, because this gateway does not change the machine it runs on.`)
  const report = forwarding.report()
  if (!report) return item('activating', say`Connecting to the collector ${host}:${port}.`)
  const { isConnected, waiting, oldest, lost, repeated, fault } = report
  const status = fault !== null ? 'failed' : isConnected ? 'active' : 'activating'
  const now = clock.now().getTime() / 1000
  const age = oldest === null ? null : Math.max(0, Math.floor(now - oldest / 1_000_000))
  return item(
    status,
    ...(fault === null ? [] : [fault]),
    isConnected
      ? say`Connected to the collector ${host}:${port} (${protocol}).`
      : say`Not connected to the collector ${host}:${port}.`,
    ...(waiting === 0
      ? []
      : [
          age === null
            ? say`Records that wait: ${waiting}.`
            : say`Records that wait: ${waiting}; the oldest is ${age} s old.`,
        ]),
    ...(lost === 0
      ? []
      : [say`Records lost, because they were removed from the log before they could be sent: ${lost}.`]),
    ...(repeated === 0 ? [] : [say`Records sent twice, because the collector may not have stored them: ${repeated}.`]),
  )
}
