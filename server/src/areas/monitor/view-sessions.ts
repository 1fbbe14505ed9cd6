// The authentication journal of the portal as a view of the log. A session is in the log when it begins, and once more when it
// ended.

import { noNumber } from '../../domain/logs/kinds.ts'
import { column, numberColumn, type View, type ViewColumn } from '../../domain/logs/view.ts'
import type { AuthRecord } from './contract-journals.ts'

const columns: Readonly<Record<keyof AuthRecord, ViewColumn>> = {
  id: column('session'),
  date_time: { from: 'column', column: 'started', as: 'stamp' },
  user_id: numberColumn('user_id'),
  login: column('login'),
  name: column('name'),
  group_name: column('group_name'),
  domain_type: column('domain_type'),
  ip: column('ip'),
  country_name: column('country_name'),
  country_code: column('country_code'),
  end: { from: 'column', column: 'ended', words: { [noNumber]: 0 }, as: 'stamp' },
  time_online: { from: 'span', since: 'started', until: 'ended' },
}

export const sessionsView: View = {
  kinds: ['authentication'],
  columns,
  only: { column: 'journal', cells: ['yes'] },
}
