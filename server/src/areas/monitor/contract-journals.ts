// The traffic journal and the authentication journal of the personal portal (docs/behaviour/monitor.md 6 and 7).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { oneOf, pageQuery, strictObject } from '../../core/contract/fields.ts'
import { journalBuckets } from '../../core/contract/log-reports.ts'
import { Type } from '../../core/contract/schema.ts'
import { type Column, journalQuery, journalReply, MetaColumn } from '../../core/contract/table-query.ts'

const Verdict = oneOf(['absent', 'accept', 'drop'])
const trafficTables = ['absent', 'fwd', 'fwd_a', 'fwd_b', 'fwd_s', 'inp', 'inp_a', 'inp_b', 'inp_s'] as const
const word = Type.String()
const number = Type.Integer()

export const TrafficRecord = strictObject({
  date_time: Type.Integer({ 'x-time': 'stamp', description: 'YYYYMMDDhhmmss in the time zone of the gateway.' }),
  result: oneOf(
    ['absent', 'accept', 'drop'],
    'Combined verdict of the firewall, intrusion prevention and application control.',
  ),
  rule_id: Type.Integer({ description: '0: none.' }),
  table: oneOf(trafficTables),
  action: oneOf(['absent', 'accept', 'drop', 'l7_inspection']),
  protocol: word,
  ips_profile: word,
  ips_action: Verdict,
  ips_signature_id: number,
  dpi_profile: word,
  dpi_action: Verdict,
  dpi_app: word,
  dpi_protocol: word,
  src_ip: word,
  dst_ip: word,
  src_port: Type.Integer({ description: '0: none.' }),
  dst_port: number,
  src_zone: word,
  dst_zone: word,
  src_user_login: word,
  src_user_name: word,
  src_group: word,
  dst_user_login: word,
  dst_user_name: word,
  dst_group: word,
  src_location_name: word,
  src_location_code: word,
  dst_location_name: word,
  dst_location_code: word,
  dnat_rule_id: number,
  dnat_ip: word,
  dnat_port: number,
  snat_rule_id: number,
  snat_ip: word,
  cluster_id: word,
  cluster_name: word,
  vce_id: word,
  vce_name: word,
  flow_id: Type.String({ description: 'Unique per record.' }),
})
export type TrafficRecord = Static<typeof TrafficRecord>

export const trafficColumnNames = Object.keys(TrafficRecord.properties) as (keyof TrafficRecord)[]

const columnsOf = (properties: Readonly<Record<string, object>>): Column[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    type: (schema as { type?: string }).type === 'string' ? 'String' : 'Int64',
  }))

export const trafficColumns = columnsOf(TrafficRecord.properties)

export const trafficJournal = endpoint({
  method: 'GET',
  path: '/reports/report/firewall/journal',
  access: 'reports',
  summary: 'Query the traffic journal',
  description:
    'Hits of firewall rules on connections that a logging rule marked. Columns of other engines are absent or empty.',
  query: journalQuery(trafficColumnNames),
  reply: strictObject({
    data: Type.Array(TrafficRecord),
    rows: Type.Integer({ description: 'Records in data.' }),
    rows_before_limit_at_least: Type.Integer({ description: 'Matching records without limit and offset.' }),
  }),
  alsoReplies: ['text/csv'],
})

export const trafficBuckets = journalBuckets(
  '/reports/report/firewall/journal/buckets',
  'Count records of the traffic journal by time',
  journalQuery(trafficColumnNames).properties,
)

export const AuthRecord = strictObject({
  id: Type.String({ description: 'Unique id of the session.' }),
  date_time: Type.Integer({ 'x-time': 'stamp', description: 'YYYYMMDDhhmmss at which the session began.' }),
  user_id: Type.Integer({ 'x-refers': ['user'] }),
  login: word,
  name: word,
  group_name: word,
  domain_type: oneOf(['local', 'ad', 'ald', 'radius', 'device']),
  ip: word,
  country_name: word,
  country_code: word,
  end: Type.Integer({ 'x-time': 'stamp', description: 'YYYYMMDDhhmmss; 0 while the session is open.' }),
  time_online: Type.Integer({ 'x-unit': 'seconds', description: 'Seconds.' }),
})
export type AuthRecord = Static<typeof AuthRecord>

export const authColumnNames = Object.keys(AuthRecord.properties) as (keyof AuthRecord)[]
export const authColumns = columnsOf(AuthRecord.properties)

export const authJournal = endpoint({
  method: 'GET',
  path: '/user_cabinet_reports/auth_journal',
  access: 'reports',
  summary: 'Query the authentication journal of the personal portal',
  description: 'Sign-ins at the portal of users, those that are open included. Kept for 180 days.',
  query: journalQuery(authColumnNames),
  reply: journalReply(AuthRecord),
  alsoReplies: ['text/csv'],
})

export const uniqueColumns = ['ip', 'country_name'] as const

export const authJournalValues = endpoint({
  method: 'GET',
  path: '/user_cabinet_reports/auth_journal/unique_values/:column_name',
  access: 'reports',
  summary: 'List the distinct values of a column of the authentication journal',
  query: strictObject(pageQuery),
  reply: strictObject({
    meta: Type.Array(MetaColumn),
    data: Type.Array(strictObject({ ip: Type.Optional(word), country_name: Type.Optional(word) })),
    rows: Type.Integer(),
    rows_before_limit_at_least: Type.Optional(Type.Integer()),
  }),
})
