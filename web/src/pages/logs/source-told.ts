// What journals have in common that the gateway itself follows: one call reads them, another tells what is new in them.

import type { Endpoint } from '@gateway/server/contract'
import { addressOf, type CallOptions, call } from '../../api/call.ts'
import { listen } from '../../api/stream.ts'
import { stampToUnix } from '../../util/time.ts'
import { wireFilter } from './filter.ts'
import type { CellValue, LogLine } from './lines.ts'
import type { LogSource, Question } from './source.ts'
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

const readSize = 5_000

const lineOf = (row: Row, zone: string): LogLine => ({
  key: String(row.id),
  time: (stampToUnix(Number(row.date_time), zone) ?? 0) * 1_000 + Number(row.microseconds ?? 0) / 1_000,
  cells: row,
})

/** Conditions and text without the time, for calls that take it on their own. */
export const conditionsOf = ({ filter }: Question, searched: readonly string[]) => ({
  filter: wireFilter(filter),
  ...(filter.text === '' ? {} : { search: [{ text: filter.text, columns: searched }] }),
})

export function toldJournal({ journal, tail, searched }: ToldJournal): Pick<LogSource, 'read' | 'follow' | 'csvHref'> {
  const options = (query: object): CallOptions => ({ query }) as unknown as CallOptions
  return {
    read: async (question, signal) => {
      const query = { ...journalQuery(question, { searched }), limit: readSize }
      const answer = await call(journal, { ...options(query), signal, isBackground: true })
      const { data, rows, rows_before_limit_at_least: total = rows } = answer.data as unknown as Reply
      return { lines: data.map((row) => lineOf(row, question.zone)), total, isCut: total > rows }
    },
    follow: (question, newest, { onLines, onLost, onTrouble }) => {
      const after = newest === null ? {} : { after: newest.key }
      return listen(tail, options({ ...conditionsOf(question, searched), ...after }), {
        on: {
          records: (data) => onLines((data as Row[]).map((row) => lineOf(row, question.zone)).reverse()),
          lost: (data) => onLost((data as { records: number }).records),
        },
        onOpen: () => onTrouble(false),
        onTrouble: () => onTrouble(true),
      })
    },
    csvHref: (question) => addressOf(journal, options({ ...journalQuery(question, { searched }), format_type: 'CSV' })),
  }
}
