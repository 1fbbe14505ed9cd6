// What journals have in common that the gateway itself follows: one call reads them, another tells what is new in them.

import type { Endpoint } from '@gateway/server/contract'
import { addressOf, call, optionsOf } from '../../api/call.ts'
import { listen } from '../../api/stream.ts'
import { stampToUnix } from '../../util/time.ts'
import { conditionsOf } from './buckets.ts'
import type { CellValue, LogLine } from './lines.ts'
import { type LogSource, readPages } from './source.ts'
import { journalQuery } from './source-journals.ts'

type Row = Readonly<Record<string, CellValue>>

interface Reply {
  readonly data: readonly Row[]
  readonly rows: number
  readonly rows_before_limit_at_least?: number
}

interface ToldJournal {
  readonly journal: Endpoint
  readonly tail: Endpoint
  /** Looked into for a text. */
  readonly searched: readonly string[]
}

const lineOf = (row: Row, zone: string): LogLine => ({
  key: String(row.id),
  time: (stampToUnix(Number(row.date_time), zone) ?? 0) * 1_000 + Number(row.microseconds ?? 0) / 1_000,
  cells: row,
})

export function toldJournal({ journal, tail, searched }: ToldJournal): Pick<LogSource, 'read' | 'follow' | 'csvHref'> {
  return {
    read: async (question, signal) => {
      let total = 0
      const { rows } = await readPages(question.most, async (page) => {
        const query = { ...journalQuery(question, { searched }), ...page }
        const answer = await call(journal, optionsOf({ query, signal, isBackground: true }))
        // Cast: every journal of this kind answers so.
        const { data, rows: count, rows_before_limit_at_least: all = count } = answer.data as unknown as Reply
        total = Math.max(total, all)
        return data
      })
      return { lines: rows.map((row) => lineOf(row, question.zone)), total, isCut: total > rows.length }
    },
    follow: (question, newest, { onLines, onLost, onTrouble }) => {
      const after = newest === null ? {} : { after: newest.key }
      return listen(tail, optionsOf({ query: { ...conditionsOf(question, searched), ...after } }), {
        on: {
          records: (data) => onLines((data as Row[]).map((row) => lineOf(row, question.zone)).reverse()),
          lost: (data) => onLost((data as { records: number }).records),
        },
        onOpen: () => onTrouble(false),
        onTrouble: () => onTrouble(true),
      })
    },
    csvHref: (question) =>
      addressOf(journal, optionsOf({ query: { ...journalQuery(question, { searched }), format_type: 'CSV' } })),
  }
}
