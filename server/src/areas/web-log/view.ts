// Web requests as a view of the log.

import { column, numberColumn, type View, type ViewColumn } from '../../domain/logs/view.ts'
import type { WebRecord } from './contract.ts'

const columns: Readonly<Record<keyof WebRecord, ViewColumn>> = {
  id: { from: 'id' },
  date_time: { from: 'stamp' },
  source_ip: column('source_ip'),
  destination_ip: column('destination_ip'),
  user_id: column('user_id'),
  user_login: column('user_login'),
  user_name: column('user_name'),
  group: column('group'),
  method: column('method'),
  scheme: column('scheme'),
  host: column('host'),
  url: column('url'),
  categories: column('categories'),
  rule_id: numberColumn('rule_id'),
  result: column('result'),
  reason: column('reason'),
  decrypted: column('decrypted'),
  status: numberColumn('status'),
  bytes_sent: numberColumn('bytes_sent'),
  bytes_received: numberColumn('bytes_received'),
  duration_ms: numberColumn('duration_ms'),
  content_type: column('content_type'),
  dictionary: column('dictionary'),
  virus: column('virus'),
  user_agent: column('user_agent'),
  via: column('via'),
}

export const webView: View = { kinds: ['web'], columns }
