// Records of the firewall log as rows of the traffic journal. The columns of engines that do not exist yet are empty.

import type { Cell } from '../../contract/table-query.ts'
import { printStamp } from '../../contract/table-query.ts'
import type { TrafficRecord } from './contract-journals.ts'

export type TrafficRow = TrafficRecord & Readonly<Record<string, Cell>>

export interface FirewallHit {
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly table: string
  readonly rule_id: string
  readonly action: string
  readonly protocol: string
  readonly source_ip: string
  readonly source_port: number | null
  readonly destination_ip: string
  readonly destination_port: number | null
  readonly in_interface: string
  readonly out_interface: string
  readonly lost: number
}

const tables: Readonly<Record<string, TrafficRecord['table']>> = { FWD: 'fwd', INP: 'inp' }

/** This journal does not know rejections: the packet did not pass. */
const verdicts: Readonly<Record<string, TrafficRecord['result']>> = { accept: 'accept', drop: 'drop', reject: 'drop' }

/** Tables whose rules write to the traffic journal. */
const journalled: ReadonlySet<string> = new Set(['FWD', 'INP', 'DNAT', 'SNAT'])

export const isTraffic = ({ table, lost }: FirewallHit): boolean => journalled.has(table) && lost === 0

export function showHit(hit: FirewallHit, offsetAt: (unixSeconds: number) => number): TrafficRow {
  const seconds = Math.floor(hit.time / 1000)
  const ruleId = Number(hit.rule_id) || 0
  const isFilter = hit.table in tables
  const verdict = isFilter ? (verdicts[hit.action] ?? 'absent') : 'absent'
  return {
    date_time: printStamp(seconds + offsetAt(seconds)),
    result: verdict,
    rule_id: isFilter ? ruleId : 0,
    table: tables[hit.table] ?? 'absent',
    action: verdict,
    protocol: hit.protocol,
    ips_profile: '',
    ips_action: 'absent',
    ips_signature_id: 0,
    dpi_profile: '',
    dpi_action: 'absent',
    dpi_app: '',
    dpi_protocol: '',
    src_ip: hit.source_ip,
    dst_ip: hit.destination_ip,
    src_port: hit.source_port ?? 0,
    dst_port: hit.destination_port ?? 0,
    src_zone: hit.in_interface,
    dst_zone: hit.out_interface,
    src_user_login: '',
    src_user_name: '',
    src_group: '',
    dst_user_login: '',
    dst_user_name: '',
    dst_group: '',
    src_location_name: '',
    src_location_code: '',
    dst_location_name: '',
    dst_location_code: '',
    dnat_rule_id: hit.table === 'DNAT' ? ruleId : 0,
    dnat_ip: '',
    dnat_port: 0,
    snat_rule_id: hit.table === 'SNAT' ? ruleId : 0,
    snat_ip: '',
    cluster_id: '',
    cluster_name: '',
    vce_id: '',
    vce_name: '',
    flow_id: String(hit.sequence),
  }
}
