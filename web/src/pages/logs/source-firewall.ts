// The firewall log as a source of the explorer. The gateway filters by rule, action and address; time and text are looked at here.

import type { QueryOf, ReplyOf } from '@gateway/server/contract'
import { listFirewallLog } from '@gateway/server/contract/firewall-log'
import { call } from '../../api/call.ts'
import { valueWord } from '../../contract/words.ts'
import { msg, t } from '../../words.ts'
import { type LogFilter, testOf } from './filter.ts'
import { keyed, type LogLine, mostLines } from './lines.ts'
import { type Found, type LogSource, type Question, repeat } from './source.ts'

type Row = ReplyOf<typeof listFirewallLog>[number]
type Query = Partial<QueryOf<typeof listFirewallLog>>

const linesOf = (rows: readonly Row[]): LogLine[] =>
  keyed(rows, ({ time, text }) => `${time} ${text}`).map(({ key, record }) => {
    const { time, ...cells } = record
    return { key, time: Date.parse(time), cells }
  })

const exact = ['table', 'rule_id', 'action', 'source_ip', 'destination_ip'] as const

/** What the gateway can look for itself: one wanted value of a column. */
function wireQuery({ conditions }: LogFilter): Query {
  const query: Record<string, string> = {}
  for (const column of exact) {
    const wanted = conditions.filter((one) => one.column === column && !one.isNot)
    if (wanted.length === 1 && wanted[0]) query[column] = wanted[0].value
  }
  return query as Query
}

const pageSize = 2_500

async function read({ range, filter }: Question, signal: AbortSignal): Promise<Found> {
  const rows: Row[] = []
  const begin = range.from * 1_000
  let isCut = false
  for (;;) {
    const query = { ...wireQuery(filter), limit: pageSize, offset: rows.length }
    const { data } = await call(listFirewallLog, { query, signal, isBackground: true })
    rows.push(...data)
    const last = data.at(-1)
    if (!last || data.length < pageSize || Date.parse(last.time) < begin) break
    if (rows.length >= mostLines) {
      isCut = true
      break
    }
  }
  const fits = testOf(filter)
  const end = range.preset === null ? range.until * 1_000 : Number.POSITIVE_INFINITY
  const lines = linesOf(rows).filter(({ time, cells }) => time >= begin && time < end && fits(cells))
  return { lines, total: isCut ? null : lines.length, isCut }
}

const tailSize = 300

export const firewallSource: LogSource = {
  id: 'firewall',
  title: msg('Firewall log'),
  lead: msg('What rules recorded about connections that a LOG rule marked.'),
  columns: [
    { id: 'time', title: msg('Time'), width: 108 },
    { id: 'rule', title: msg('Rule'), width: 156, parts: ['table', 'rule_id'] },
    { id: 'action', title: msg('Action'), width: 84 },
    { id: 'protocol', title: msg('Protocol'), width: 78 },
    { id: 'from', title: msg('From'), width: 184, parts: ['source_ip', 'source_port'], isMono: true },
    { id: 'to', title: msg('To'), width: 'rest', parts: ['destination_ip', 'destination_port'], isMono: true },
    { id: 'in_interface', title: msg('In'), width: 84 },
    { id: 'out_interface', title: msg('Out'), width: 84 },
  ],
  facets: [
    { column: 'action', title: msg('Action') },
    { column: 'table', title: msg('Table') },
    { column: 'rule_id', title: msg('Rule') },
    { column: 'source_ip', title: msg('From') },
    { column: 'destination_ip', title: msg('To') },
    { column: 'destination_port', title: msg('Port') },
    { column: 'protocol', title: msg('Protocol') },
    { column: 'in_interface', title: msg('In') },
  ],
  addresses: ['source_ip', 'destination_ip'],
  toneOf: ({ cells: { action } }) =>
    action === 'drop' || action === 'reject' || action === 'deny' ? 'bad' : action === 'lost' ? 'warn' : null,
  read,
  follow: ({ filter }, _newest, { onLines, onTrouble }) => {
    const fits = testOf(filter)
    return repeat(
      1_000,
      async (signal) => {
        const query = { ...wireQuery(filter), limit: tailSize }
        const { data } = await call(listFirewallLog, { query, signal, isBackground: true })
        onLines(linesOf(data).filter(({ cells }) => fits(cells)))
      },
      onTrouble,
    )
  },
  views: [
    { title: msg('Refused in the last 15 minutes'), search: { from: '-15m', action: 'drop,reject,deny' } },
    { title: msg('Refused on the way to the gateway'), search: { table: 'INP', action: 'drop,reject' } },
    { title: msg('Accepted in the last hour'), search: { action: 'accept' } },
    { title: msg('What rules decided'), search: { action: '!mark_log,!mark_not_log' } },
    { title: msg('Translated'), search: { table: 'DNAT,SNAT' } },
  ],
  empty: {
    title: msg('Nothing was recorded in this time'),
    text: msg('Only connections that a LOG rule marks are recorded. Without one the log stays empty.'),
  },
  ruleOf: ({ cells: { table, rule_id } }) => ({ table: String(table), id: String(rule_id) }),
  packetOf: ({ cells }) =>
    cells.action === 'lost'
      ? null
      : {
          protocol: String(cells.protocol),
          source: String(cells.source_ip),
          destination: String(cells.destination_ip),
          port: typeof cells.destination_port === 'number' ? cells.destination_port : null,
          device: String(cells.in_interface),
        },
  wordOf: (column, value) => {
    if (column !== 'action') return String(value ?? '')
    return value === 'lost' ? t('records are missing') : t(valueWord(value))
  },
}
