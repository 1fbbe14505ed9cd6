// The web traffic journal as a source of the explorer. The gateway filters, searches and follows it.

import type { QueryOf } from '@gateway/server/contract'
import { webJournal, webTail } from '@gateway/server/contract/web-log'
import { addressOf, type CallOptions, call } from '../../api/call.ts'
import { listen } from '../../api/stream.ts'
import { valueWord } from '../../contract/words.ts'
import { printBytes } from '../../util/amount.ts'
import { stampToUnix } from '../../util/time.ts'
import { currentLanguage, msg, t } from '../../words.ts'
import { wireFilter } from './filter.ts'
import type { CellValue, LogLine } from './lines.ts'
import type { LogSource, Question } from './source.ts'
import { journalQuery } from './source-journals.ts'

type Row = Readonly<Record<string, CellValue>>

const searched = ['host', 'url', 'user_login', 'user_name', 'source_ip', 'user_agent', 'dictionary', 'virus']
const readSize = 5_000

const lineOf = (row: Row, zone: string): LogLine => ({
  key: String(row.id),
  time: (stampToUnix(Number(row.date_time), zone) ?? 0) * 1_000,
  cells: row,
})

const followed = ({ filter }: Question) => ({
  filter: wireFilter(filter),
  ...(filter.text === '' ? {} : { search: [{ text: filter.text, columns: searched }] }),
})

const worded = new Set(['result', 'reason', 'decrypted', 'via'])

/** `nameOf`: the name of a category by its id. */
export function webLogSource(nameOf: (id: string) => string): LogSource {
  return {
    id: 'web',
    title: msg('Web traffic'),
    lead: msg('Requests through the web proxy, with what the content filter decided.'),
    columns: [
      { id: 'time', title: msg('Time'), width: 104 },
      { id: 'result', title: msg('Result'), width: 108 },
      { id: 'user_login', title: msg('User'), width: 96 },
      { id: 'source_ip', title: msg('From'), width: 120, isMono: true },
      { id: 'host', title: msg('Site'), width: 170 },
      { id: 'categories', title: msg('Categories'), width: 150 },
      { id: 'rule', title: msg('Rule'), width: 72, parts: ['rule_id'] },
      { id: 'method', title: msg('Method'), width: 80 },
      { id: 'url', title: msg('Address'), width: 'rest', isText: true },
      { id: 'bytes_received', title: msg('Received'), width: 88, isNumber: true },
    ],
    facets: [
      { column: 'result', title: msg('Result') },
      { column: 'reason', title: msg('Reason') },
      { column: 'host', title: msg('Site') },
      { column: 'categories', title: msg('Categories') },
      { column: 'user_login', title: msg('User') },
      { column: 'source_ip', title: msg('From') },
      { column: 'rule_id', title: msg('Rule') },
    ],
    addresses: ['source_ip'],
    toneOf: ({ cells: { result } }) =>
      result === 'denied' ? 'bad' : result === 'redirected' ? 'warn' : result === 'decrypted' ? 'ok' : null,
    wordOf: (column, value) => {
      if (column === 'categories')
        return String(value ?? '')
          .split(';')
          .filter((id) => id !== '')
          .map(nameOf)
          .join(', ')
      if (column === 'rule_id') return value === 0 || value === '0' ? '' : String(value ?? '')
      if (column.startsWith('bytes_')) return printBytes(Number(value ?? 0), currentLanguage())
      return worded.has(column) ? t(valueWord(value)) : String(value ?? '')
    },
    read: async (question, signal) => {
      const query = { ...journalQuery(question, { searched }), limit: readSize } as unknown as QueryOf<
        typeof webJournal
      >
      const { data } = await call(webJournal, { query, signal, isBackground: true })
      const { rows_before_limit_at_least: total = data.rows } = data
      return { lines: data.data.map((row) => lineOf(row, question.zone)), total, isCut: total > data.rows }
    },
    follow: (question, newest, { onLines, onLost, onTrouble }) => {
      const after = newest?.key
      const query = { ...followed(question), ...(after === undefined ? {} : { after }) }
      return listen(webTail, { query } as unknown as CallOptions, {
        on: {
          records: (data) => onLines((data as Row[]).map((row) => lineOf(row, question.zone)).reverse()),
          lost: (data) => onLost((data as { records: number }).records),
        },
        onOpen: () => onTrouble(false),
        onTrouble: () => onTrouble(true),
      })
    },
    csvHref: (question) =>
      addressOf(webJournal, {
        query: { ...journalQuery(question, { searched }), format_type: 'CSV' } as unknown as QueryOf<typeof webJournal>,
      } as CallOptions),
    views: [
      { title: msg('Denied today'), search: { from: '-1d', result: 'denied' } },
      { title: msg('Found by the antivirus'), search: { from: '-30d', reason: 'virus' } },
      { title: msg('Refused certificates'), search: { from: '-1d', reason: 'certificate' } },
    ],
    empty: {
      title: msg('No web request was recorded in this time'),
      text: msg('Requests are recorded while the content filter or the direct proxy is on and logging is not off.'),
    },
    ruleOf: ({ cells: { rule_id } }) => (Number(rule_id) > 0 ? { table: 'web', id: String(rule_id) } : null),
    explainOf: ({ time, cells }) => ({
      source: String(cells.source_ip),
      ...(cells.user_id ? { user: String(cells.user_id) } : {}),
      url: String(cells.url),
      ...(cells.method === 'CONNECT' ? {} : { method: String(cells.method) }),
      ...(cells.content_type ? { content_type: String(cells.content_type) } : {}),
      time: String(Math.floor(time / 1_000)),
    }),
  }
}
