// The status of the log store, and of log forwarding: what is set, and whether anything is sent.

import type { StatusItem } from '../../contract/fields.ts'
import { logKindNames, logKinds } from '../../logs/kinds.ts'
import type { StoreState } from '../../logs/store.ts'
import { type Config, read } from '../../model/slots.ts'
import { logLimitsOf, remoteSyslog, remoteSyslogState } from './config.ts'
import type { LogUsage } from './contract.ts'

export function logStoreItems({ fault, notice, lost }: StoreState, brand: string): StatusItem[] {
  const lostNote = lost > 0 ? [`${lost} records were lost since the start.`] : []
  const msg = [...(fault === null ? [] : [fault]), ...(notice === undefined ? [] : [notice]), ...lostNote]
  return [{ name: `${brand}-logs-syncer`, status: fault === null ? 'active' : 'failed', msg }]
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

export function remoteSyslogItems(config: Config, brand: string): StatusItem[] {
  const { host, port } = read(config, remoteSyslog)
  const isOff = !read(config, remoteSyslogState).enabled
  const msg = isOff
    ? ['Forwarding is switched off.']
    : [
        ...(host === null || port === null ? ['The address or the port of the collector is missing.'] : []),
        'Stored; forwarding is not part of this release yet, so nothing is sent.',
      ]
  return [{ name: `${brand}-logs-backend`, status: 'inactive', msg }]
}
