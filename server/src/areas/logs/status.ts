// The status of log forwarding: what is set, whether the collector takes records, and how many wait or were lost.

import type { StatusItem } from '../../contract/fields.ts'
import type { Services } from '../../http/handle.ts'
import { type Config, read } from '../../model/slots.ts'
import { remoteSyslog, remoteSyslogState } from './config.ts'

export function remoteSyslogItems(
  config: Config,
  { brand, clock, forwarding }: Pick<Services, 'brand' | 'clock' | 'forwarding'>,
): StatusItem[] {
  const item = (status: StatusItem['status'], ...msg: string[]): StatusItem[] => [
    { name: `${brand}-logs-backend`, status, msg },
  ]
  const { host, port, protocol } = read(config, remoteSyslog)
  if (!read(config, remoteSyslogState).enabled) return item('inactive', 'Forwarding is switched off.')
  if (host === null || port === null) return item('inactive', 'The address or the port of the collector is missing.')
  if (!forwarding)
    return item('inactive', 'Nothing is sent, because this gateway does not change the machine it runs on.')
  const report = forwarding.report()
  if (!report) return item('activating', `Connecting to the collector ${host}:${port}.`)
  const { isConnected, waiting, oldest, lost, repeated, fault } = report
  const status = fault !== null ? 'failed' : isConnected ? 'active' : 'activating'
  const now = clock.now().getTime() / 1000
  const age = oldest === null ? null : Math.max(0, Math.floor(now - oldest / 1_000_000))
  return item(
    status,
    ...(fault === null ? [] : [fault]),
    isConnected
      ? `Connected to the collector ${host}:${port} (${protocol}).`
      : `Not connected to the collector ${host}:${port}.`,
    ...(waiting === 0 ? [] : [`Records that wait: ${waiting}${age === null ? '' : `; the oldest is ${age} s old`}.`]),
    ...(lost === 0 ? [] : [`Records lost, because they were removed from the log before they could be sent: ${lost}.`]),
    ...(repeated === 0 ? [] : [`Records sent twice, because the collector may not have stored them: ${repeated}.`]),
  )
}
