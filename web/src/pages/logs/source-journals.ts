// The traffic journal and the portal sign-ins as sources of the explorer. The gateway filters, searches and counts them.

import type { Endpoint, QueryOf } from '@gateway/server/contract'
import { authJournal, authJournalValues, trafficBuckets, trafficJournal } from '@gateway/server/contract/monitor'
import { addressOf, type CallOptions, call, optionsOf } from '../../api/call.ts'
import { valueWord } from '../../contract/words.ts'
import { stampToUnix, unixToStamp } from '../../util/time.ts'
import { msg, t } from '../../words.ts'
import { countedBy } from './buckets.ts'
import { wireFilter } from './filter.ts'
import type { CellValue, LogLine } from './lines.ts'
import { type Found, type LogSource, type Question, readPages, repeat } from './source.ts'

type Query = Partial<QueryOf<typeof trafficJournal>>

export interface JournalShape {
  readonly endpoint: Endpoint
  readonly keyColumn: string
  /** Looked into for a text. */
  readonly searched: readonly string[]
}

/** Range, conditions and text as a query. A range that moves on has no end. */
export function journalQuery(
  { range, filter, zone }: Question,
  { searched }: Pick<JournalShape, 'searched'>,
): { readonly filter: readonly object[]; readonly search?: readonly object[] } {
  const end = range.preset === null ? range.until : Math.ceil(Date.now() / 1_000) + 60
  const time = {
    items: [
      { column_name: 'date_time', operator: 'greater_equal', value: [unixToStamp(range.from, zone)] },
      { column_name: 'date_time', operator: 'less', value: [unixToStamp(end, zone)] },
    ],
  }
  return {
    filter: [time, ...wireFilter(filter)],
    ...(filter.text === '' ? {} : { search: [{ text: filter.text, columns: searched }] }),
  }
}

const lineOf = (row: Readonly<Record<string, CellValue>>, keyColumn: string, zone: string): LogLine => ({
  key: String(row[keyColumn]),
  time: (stampToUnix(Number(row.date_time), zone) ?? 0) * 1_000,
  cells: row,
})

interface Reply {
  readonly data: readonly Readonly<Record<string, CellValue>>[]
  readonly rows_before_limit_at_least?: number
}

const tailSize = 500

function journal(shape: JournalShape): Pick<LogSource, 'read' | 'follow' | 'csvHref'> {
  const { endpoint, keyColumn } = shape
  const ask = async (question: Question, page: { limit: number; offset?: number }, signal: AbortSignal) => {
    const query = { ...journalQuery(question, shape), ...page }
    const { data: reply } = await call<Endpoint>(endpoint, optionsOf({ query, signal, isBackground: true }))
    // Cast: every journal answers so.
    const { data, rows_before_limit_at_least: total = data.length } = reply as unknown as Reply
    return { lines: data.map((row) => lineOf(row, keyColumn, question.zone)), total }
  }
  return {
    read: async (question, signal): Promise<Found> => {
      let total = 0
      const { rows: lines } = await readPages(question.most, async (page) => {
        const found = await ask(question, page, signal)
        total = Math.max(total, found.total)
        return found.lines
      })
      return { lines, total, isCut: total > lines.length }
    },
    follow: (question, newest, { onLines, onTrouble }) => {
      let from = newest ? Math.floor(newest.time / 1_000) : question.range.from
      return repeat(
        2_000,
        async (signal) => {
          const { lines } = await ask({ ...question, range: { ...question.range, from } }, { limit: tailSize }, signal)
          const [first] = lines
          if (first) from = Math.max(from, Math.floor(first.time / 1_000))
          onLines(lines)
        },
        onTrouble,
      )
    },
    csvHref: (question) =>
      addressOf(endpoint, { query: { ...journalQuery(question, shape), format_type: 'CSV' } as Query } as CallOptions),
  }
}

const trafficSearched = [
  'src_ip',
  'dst_ip',
  'src_user_login',
  'src_user_name',
  'dst_user_login',
  'src_zone',
  'dst_zone',
  'protocol',
]

export const trafficSource: LogSource = {
  ...journal({ endpoint: trafficJournal, keyColumn: 'flow_id', searched: trafficSearched }),
  buckets: countedBy(trafficBuckets, trafficSearched),
  id: 'traffic',
  title: msg('Traffic journal'),
  lead: msg('Connections that a LOG rule marked, with users, zones and countries.'),
  columns: [
    { id: 'time', title: msg('Time'), width: 108 },
    { id: 'result', title: msg('Result'), width: 78 },
    { id: 'rule', title: msg('Rule'), width: 88, parts: ['table', 'rule_id'] },
    { id: 'protocol', title: msg('Protocol'), width: 76 },
    { id: 'from', title: msg('From'), width: 180, parts: ['src_ip', 'src_port'], isMono: true },
    { id: 'src_user_login', title: msg('User'), width: 104 },
    { id: 'src_zone', title: msg('Zone'), width: 84 },
    { id: 'to', title: msg('To'), width: 'rest', parts: ['dst_ip', 'dst_port'], isMono: true },
    { id: 'dst_zone', title: msg('To zone'), width: 84 },
    { id: 'dst_location_code', title: msg('Country'), width: 76 },
    { id: 'dnat_ip', title: msg('DNAT to'), width: 120, isMono: true },
  ],
  facets: [
    { column: 'result', title: msg('Result') },
    { column: 'table', title: msg('Table') },
    { column: 'rule_id', title: msg('Rule') },
    { column: 'src_user_login', title: msg('User') },
    { column: 'src_ip', title: msg('From') },
    { column: 'dst_ip', title: msg('To') },
    { column: 'dst_port', title: msg('Port') },
    { column: 'src_zone', title: msg('Zone') },
    { column: 'dst_location_code', title: msg('Country') },
  ],
  addresses: ['src_ip', 'dst_ip', 'dnat_ip'],
  toneOf: ({ cells: { result } }) => (result === 'drop' ? 'bad' : null),
  wordOf: (column, value) => {
    if (value === 'absent') return ''
    return column === 'result' || column === 'action' ? t(valueWord(value)) : String(value ?? '')
  },
  views: [
    { title: msg('Refused today'), search: { from: '-1d', result: 'drop' } },
    { title: msg('Accepted in the last hour'), search: { result: 'accept' } },
  ],
  empty: {
    title: msg('No traffic was recorded in this time'),
    text: msg('Only connections that a LOG rule marks are recorded. Without one the journal stays empty.'),
  },
  ruleOf: ({ cells: { table, rule_id } }) => ({ table: String(table), id: String(rule_id) }),
  packetOf: ({ cells }) => ({
    protocol: String(cells.protocol),
    source: String(cells.src_ip),
    destination: String(cells.dst_ip),
    port: typeof cells.dst_port === 'number' && cells.dst_port > 0 ? cells.dst_port : null,
    device: '',
  }),
}

const mostValues = 200

const portalValues = (column: 'ip' | 'country_name') => async (): Promise<readonly string[]> => {
  const { data } = await call(authJournalValues, { params: { column_name: column }, query: { limit: mostValues } })
  return data.data.flatMap((row) => row[column] ?? []).filter((value) => value !== '')
}

export const portalSource: LogSource = {
  values: { ip: portalValues('ip'), country_name: portalValues('country_name') },
  ...journal({
    endpoint: authJournal,
    keyColumn: 'id',
    searched: ['login', 'name', 'group_name', 'ip', 'country_name'],
  }),
  id: 'portal',
  title: msg('Portal sign-ins'),
  lead: msg('Sign-ins of users at the portal, those that are open included.'),
  columns: [
    { id: 'time', title: msg('Time'), width: 116 },
    { id: 'login', title: msg('Login'), width: 150 },
    { id: 'name', title: msg('Name'), width: 'rest' },
    { id: 'group_name', title: msg('Group'), width: 140 },
    { id: 'domain_type', title: msg('From'), width: 80 },
    { id: 'ip', title: msg('Address'), width: 140, isMono: true },
    { id: 'country_name', title: msg('Country'), width: 120 },
    { id: 'end', title: msg('State'), width: 90 },
    { id: 'time_online', title: msg('Online for'), width: 96, isNumber: true },
  ],
  facets: [
    { column: 'login', title: msg('Login') },
    { column: 'group_name', title: msg('Group') },
    { column: 'ip', title: msg('Address') },
    { column: 'country_name', title: msg('Country') },
    { column: 'domain_type', title: msg('From') },
  ],
  addresses: ['ip'],
  wordOf: (column, value) =>
    column === 'end' ? (value === 0 ? t('open') : t('ended')) : value === 'absent' ? '' : String(value ?? ''),
  views: [{ title: msg('Open now'), search: { from: '-30d', end: '0' } }],
  empty: {
    title: msg('No user signed in at the portal in this time'),
    text: msg('Sign-ins are kept for 180 days.'),
  },
}
