// Records of the firewall log as they are shown.

import type { FirewallLogRecord } from './contract.ts'

/** As it is kept: the time in milliseconds, and no text yet. */
export type KeptRecord = Omit<FirewallLogRecord, 'time' | 'table' | 'action' | 'text'> & {
  readonly time: number
  readonly table: string
  readonly action: string
}

export const showRecord = (record: KeptRecord): FirewallLogRecord => ({
  ...(record as KeptRecord & Pick<FirewallLogRecord, 'table' | 'action'>),
  time: new Date(record.time).toISOString(),
  text: describeRecord(record),
})

/** `TCP src 192.0.2.25 sport 41528 dst 203.0.113.5 dport 443 table FWD rule 2 action drop` (docs/behaviour/firewall.md 5). */
export function describeRecord(record: KeptRecord): string {
  if (record.lost > 0) return `${record.lost} records were lost: there were more than could be read.`
  const { protocol, source_ip, source_port, destination_ip, destination_port, table, rule_id, action } = record
  const source = source_port === null ? source_ip : `${source_ip} sport ${source_port}`
  const destination = destination_port === null ? destination_ip : `${destination_ip} dport ${destination_port}`
  return `${protocol} src ${source} dst ${destination} table ${table} rule ${rule_id} action ${action}`
}
