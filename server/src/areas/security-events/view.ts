// Security events as views of the log: as the journal shows them, and with everything that is known of one.

import { column, numberColumn, type View, type ViewColumn } from '../../domain/logs/view.ts'
import type { SecurityEvent } from './contract.ts'

const columns: Readonly<Record<keyof SecurityEvent, ViewColumn>> = {
  id: { from: 'id' },
  date_time: { from: 'stamp' },
  module: column('module'),
  result: column('result'),
  severity: numberColumn('severity'),
  signature_id: numberColumn('sid'),
  signature: column('signature'),
  classtype: column('classtype'),
  mitre_tactic_id: column('tactic'),
  application: column('application'),
  app_protocol: column('app_protocol'),
  protocol: column('protocol'),
  src_ip: column('source_ip'),
  src_port: numberColumn('source_port'),
  dst_ip: column('destination_ip'),
  dst_port: numberColumn('destination_port'),
  src_user_id: column('src_user_id'),
  src_user_login: column('src_user_login'),
  src_user_name: column('src_user_name'),
  dst_user_id: column('dst_user_id'),
  dst_user_login: column('dst_user_login'),
  dst_user_name: column('dst_user_name'),
  src_location_name: column('src_location_name'),
  src_location_code: column('src_location_code'),
  dst_location_name: column('dst_location_name'),
  dst_location_code: column('dst_location_code'),
  in_interface: column('in_interface'),
  src_zone: column('src_zone'),
  dst_zone: column('dst_zone'),
  profile_id: column('profile_id'),
  profile: column('profile'),
  table: { from: 'column', column: 'table', words: { FWD: 'fwd', INP: 'inp' }, otherwise: 'absent' },
  rule_id: numberColumn('rule_id'),
  host: column('host'),
  url: column('url'),
  user_agent: column('user_agent'),
  ja3: column('ja3'),
  ja4: column('ja4'),
  flow_id: column('flow_id'),
  packets_to_server: numberColumn('packets_to_server'),
  packets_to_client: numberColumn('packets_to_client'),
  bytes_to_server: numberColumn('bytes_to_server'),
  bytes_to_client: numberColumn('bytes_to_client'),
}

export const eventsView: View = { kinds: ['security'], columns }

export const eventDetailsView: View = {
  kinds: ['security'],
  columns: {
    ...columns,
    time: column('time'),
    direction: column('direction'),
    blocked: numberColumn('blocked'),
    rule: column('rule'),
    gid: numberColumn('gid'),
    revision: numberColumn('revision'),
    category: column('category'),
    payload: column('payload'),
    packet: column('packet'),
    flow_start: numberColumn('flow_start'),
  },
}
