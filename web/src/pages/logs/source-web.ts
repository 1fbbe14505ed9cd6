// The web traffic journal as a source of the explorer. The gateway filters, searches and follows it.

import { webBuckets, webJournal, webTail } from '@gateway/server/contract/web-log'
import { valueWord } from '../../contract/words.ts'
import { printBytes } from '../../util/amount.ts'
import { currentLanguage, msg, t } from '../../words.ts'
import { countedBy } from './buckets.ts'
import type { LogSource } from './source.ts'
import { toldJournal } from './source-told.ts'

const searched = ['host', 'url', 'user_login', 'user_name', 'source_ip', 'user_agent', 'dictionary', 'virus']

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
    buckets: countedBy(webBuckets, searched),
    ...toldJournal({ journal: webJournal, tail: webTail, searched }),
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
