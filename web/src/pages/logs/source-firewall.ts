// The firewall log as a source of the explorer. The gateway filters, searches and counts all of it.

import type { QueryOf, ReplyOf } from '@gateway/server/contract'
import { firewallLogBuckets, listFirewallLog } from '@gateway/server/contract/firewall-log'
import { call } from '../../api/call.ts'
import { valueWord } from '../../contract/words.ts'
import { msg, t } from '../../words.ts'
import { conditionsOf, countedBy } from './buckets.ts'
import { keyed, type LogLine } from './lines.ts'
import { type Found, type LogSource, type Question, readPages, repeat } from './source.ts'

type Row = ReplyOf<typeof listFirewallLog>[number]
type Query = Partial<QueryOf<typeof listFirewallLog>>

const linesOf = (rows: readonly Row[]): LogLine[] =>
  keyed(rows, ({ time, text }) => `${time} ${text}`).map(({ key, record }) => {
    const { time, ...cells } = record
    return { key, time: Date.parse(time), cells }
  })

/** Looked into for a text: the record in one line has most of it, but not the connections. */
const searched = ['text', 'in_interface', 'out_interface']

async function read(question: Question, signal: AbortSignal): Promise<Found> {
  const { range } = question
  const time = { from: Math.floor(range.from), ...(range.preset === null ? { until: Math.ceil(range.until) } : {}) }
  const { rows, isCut } = await readPages(question.most, async (page) => {
    const query = { ...conditionsOf(question, searched), ...time, ...page } as Query
    return (await call(listFirewallLog, { query, signal, isBackground: true })).data
  })
  return { lines: linesOf(rows), total: isCut ? null : rows.length, isCut }
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
  buckets: countedBy(firewallLogBuckets, searched),
  follow: (question, _newest, { onLines, onTrouble }) =>
    repeat(
      1_000,
      async (signal) => {
        const query = { ...conditionsOf(question, searched), limit: tailSize } as Query
        const { data } = await call(listFirewallLog, { query, signal, isBackground: true })
        onLines(linesOf(data))
      },
      onTrouble,
    ),
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
