// The traffic journal as a view of the log: hits of firewall rules, one record of a connection. The columns of inspection are
// empty, because a connection is inspected after its record is written (docs/behaviour/monitor.md 6).

import { column, numberColumn, type View, type ViewColumn } from '../../domain/logs/view.ts'
import type { TrafficRecord } from './contract-journals.ts'

const empty: ViewColumn = { from: 'constant', cell: '' }
const zero: ViewColumn = { from: 'constant', cell: 0 }
const absent: ViewColumn = { from: 'constant', cell: 'absent' }

/** This journal does not know rejections: the packet did not pass. Translations have no verdict. */
const verdict: ViewColumn = {
  from: 'column',
  column: 'action',
  words: { accept: 'accept', drop: 'drop', reject: 'drop' },
  otherwise: 'absent',
}

const columns: Readonly<Record<keyof TrafficRecord, ViewColumn>> = {
  date_time: { from: 'stamp' },
  result: verdict,
  rule_id: numberColumn('filter_rule_id'),
  table: { from: 'column', column: 'table', words: { FWD: 'fwd', INP: 'inp' }, otherwise: 'absent' },
  action: verdict,
  protocol: column('protocol'),
  ips_profile: empty,
  ips_action: absent,
  ips_signature_id: zero,
  dpi_profile: empty,
  dpi_action: absent,
  dpi_app: empty,
  dpi_protocol: empty,
  src_ip: column('source_ip'),
  dst_ip: column('called_ip'),
  src_port: numberColumn('source_port'),
  dst_port: numberColumn('called_port'),
  src_zone: column('src_zone'),
  dst_zone: column('dst_zone'),
  src_user_login: column('src_user_login'),
  src_user_name: column('src_user_name'),
  src_group: column('src_group'),
  dst_user_login: column('dst_user_login'),
  dst_user_name: column('dst_user_name'),
  dst_group: column('dst_group'),
  src_location_name: column('src_location_name'),
  src_location_code: column('src_location_code'),
  dst_location_name: column('dst_location_name'),
  dst_location_code: column('dst_location_code'),
  dnat_rule_id: numberColumn('dnat_rule_id'),
  dnat_ip: column('dnat_ip'),
  dnat_port: numberColumn('dnat_port'),
  snat_rule_id: numberColumn('snat_rule_id'),
  snat_ip: column('snat_ip'),
  cluster_id: empty,
  cluster_name: empty,
  vce_id: empty,
  vce_name: empty,
  flow_id: { from: 'place' },
}

export const trafficView: View = { kinds: ['firewall'], columns, only: { column: 'journal', cells: ['yes'] } }
