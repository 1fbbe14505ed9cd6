// The system journal as a source of the explorer: filtered, counted and followed by the gateway.

import type { QueryOf } from '@gateway/server/contract'
import { listLogs, logBuckets, tailLogs } from '@gateway/server/contract/logs'
import { addressOf, type CallOptions, call } from '../../api/call.ts'
import { listen } from '../../api/stream.ts'
import { stampToUnix } from '../../util/time.ts'
import { msg, t } from '../../words.ts'
import { wireFilter } from './filter.ts'
import type { CellValue, LogLine } from './lines.ts'
import { bucketWidth, fillBuckets } from './range.ts'
import type { LogSource, Question } from './source.ts'
import { journalQuery } from './source-journals.ts'

const searched = ['message', 'syslog_id', 'unit']
const readSize = 5_000

type Row = Readonly<Record<string, CellValue>>

const lineOf = (row: Row, zone: string): LogLine => ({
  key: String(row.id),
  time: (stampToUnix(Number(row.date_time), zone) ?? 0) * 1_000 + Number(row.microseconds ?? 0) / 1_000,
  cells: row,
})

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

const followed = ({ filter }: Question) => ({
  filter: wireFilter(filter),
  ...(filter.text === '' ? {} : { search: [{ text: filter.text, columns: searched }] }),
})

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
  read: async (question, signal) => {
    const query = { ...journalQuery(question, { searched }), limit: readSize } as unknown as QueryOf<typeof listLogs>
    const { data } = await call(listLogs, { query, signal, isBackground: true })
    const { rows_before_limit_at_least: total = data.rows } = data
    return {
      lines: data.data.map((row) => lineOf(row, question.zone)),
      total,
      isCut: total > data.rows,
    }
  },
  buckets: async (question, signal) => {
    const { range } = question
    const width = bucketWidth(range)
    const query = { ...followed(question), from: range.from, until: Math.ceil(range.until), width }
    const { data } = await call(logBuckets, {
      ...({ query, signal, isBackground: true } as unknown as CallOptions<typeof logBuckets>),
    })
    const counts = new Map<number, number>()
    for (const bucket of data) {
      const time = Math.floor(bucket.from / width) * width
      const records = bucket.counts.reduce((sum, one) => sum + one.records, 0)
      counts.set(time, (counts.get(time) ?? 0) + records)
    }
    return fillBuckets(counts, range, width)
  },
  follow: (question, newest, { onLines, onLost, onTrouble }) => {
    const after = newest?.key
    const query = { ...followed(question), ...(after === undefined ? {} : { after }) }
    return listen(tailLogs, { query } as unknown as CallOptions, {
      on: {
        records: (data) => onLines((data as Row[]).map((row) => lineOf(row, question.zone)).reverse()),
        lost: (data) => onLost((data as { records: number }).records),
      },
      onOpen: () => onTrouble(false),
      onTrouble: () => onTrouble(true),
    })
  },
  csvHref: (question) =>
    addressOf(listLogs, {
      query: { ...journalQuery(question, { searched }), format_type: 'CSV' } as unknown as QueryOf<typeof listLogs>,
    } as CallOptions),
  views: [
    { title: msg('Errors of the last day'), search: { from: '-1d', priority: '0,1,2,3' } },
    { title: msg('Warnings and worse'), search: { from: '-1d', priority: '0,1,2,3,4' } },
  ],
  empty: { title: msg('Nothing was written in this time'), text: msg('Take a longer time, or fewer conditions.') },
}
