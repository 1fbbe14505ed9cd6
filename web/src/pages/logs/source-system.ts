// The system journal as a source of the explorer: filtered, counted and followed by the gateway.

import { listLogs, logBuckets, tailLogs } from '@gateway/server/contract/logs'
import { msg, t } from '../../words.ts'
import { countedBy } from './buckets.ts'
import type { CellValue } from './lines.ts'
import type { LogSource } from './source.ts'
import { toldJournal } from './source-told.ts'

const searched = ['message', 'syslog_id', 'unit']

/** Of syslog: the smaller, the worse. */
const priorities = [
  msg('emergency'),
  msg('alert'),
  msg('critical'),
  msg('error'),
  msg('warning'),
  msg('notice'),
  msg('information'),
  msg('debug'),
]

export const priorityWord = (value: CellValue): string => t(priorities[Number(value)] ?? String(value))

export const systemSource: LogSource = {
  id: 'system',
  title: msg('System journal'),
  lead: msg('What the services of the gateway wrote.'),
  columns: [
    { id: 'time', title: msg('Time'), width: 116 },
    { id: 'priority', title: msg('Priority'), width: 112 },
    { id: 'unit', title: msg('Unit'), width: 220 },
    { id: 'syslog_id', title: msg('Program'), width: 150 },
    { id: 'message', title: msg('Message'), width: 'rest', isText: true },
  ],
  facets: [
    { column: 'priority', title: msg('Priority') },
    { column: 'unit', title: msg('Unit') },
    { column: 'syslog_id', title: msg('Program') },
  ],
  addresses: [],
  toneOf: ({ cells: { priority } }) => (Number(priority) <= 3 ? 'bad' : Number(priority) === 4 ? 'warn' : null),
  wordOf: (column, value) => (column === 'priority' ? priorityWord(value) : String(value ?? '')),
  buckets: countedBy(logBuckets, searched),
  ...toldJournal({ journal: listLogs, tail: tailLogs, searched }),
  views: [
    { title: msg('Errors of the last day'), search: { from: '-1d', priority: '0,1,2,3' } },
    { title: msg('Warnings and worse'), search: { from: '-1d', priority: '0,1,2,3,4' } },
  ],
  empty: { title: msg('Nothing was written in this time'), text: msg('Take a longer time, or fewer conditions.') },
}
