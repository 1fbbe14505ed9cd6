// Both sides of the local log store in one thread, so that a test decides when it commits, tidies and starts again.

import { csvRows } from '../../src/core/area/csv.ts'
import type { NewRecord } from '../../src/domain/logs/record.ts'
import type {
  BucketQuestion,
  FoundRows,
  LogLimits,
  LogStore,
  Mark,
  Question,
  SumQuestion,
  TextPiece,
} from '../../src/domain/logs/store.ts'
import type { Shown } from '../../src/domain/logs/view.ts'
import type { Position } from '../../src/gatewayd/logs/store/newest.ts'
import { StoreReader } from '../../src/gatewayd/logs/store/reader.ts'
import { StoreWriter, type WriterOptions } from '../../src/gatewayd/logs/store/writer.ts'
import { testViews } from './log-questions.ts'

export class InThreadLogStore implements LogStore {
  readonly #options: WriterOptions
  writer: StoreWriter
  reader: StoreReader

  constructor(options: WriterOptions) {
    this.#options = options
    this.writer = new StoreWriter(options)
    this.reader = new StoreReader(options.path, testViews)
  }

  restart(): void {
    this.writer.close()
    this.reader.close()
    this.writer = new StoreWriter(this.#options)
    this.reader = new StoreReader(this.#options.path, testViews)
  }

  append(records: readonly NewRecord[], mark?: Mark): void {
    this.writer.append(records, ...(mark ? [mark] : []))
  }

  flush(): Promise<void> {
    this.writer.commit()
    return Promise.resolve()
  }

  /** Returns the number of steps. */
  tidy(): number {
    let steps = 0
    while (this.writer.tidy()) steps++
    return steps
  }

  marks = () => Promise.resolve(this.writer.marks)
  state = () => Promise.resolve(this.writer.state())
  setLimits = (limits: LogLimits): void => this.writer.setLimits(limits)
  onNews = () => (): void => {}
  buckets = (question: BucketQuestion) => Promise.resolve(this.reader.buckets(question))
  sums = (question: SumQuestion) => Promise.resolve(this.reader.sums(question))
  after = (place: number, limit: number) => Promise.resolve(this.reader.after(place, limit))

  tail(asked: Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>, place: number, limit: number) {
    return Promise.resolve(this.reader.tail(asked, place, limit))
  }

  find(question: Question): Promise<FoundRows> {
    const { reader } = this
    if (question.limit < 10_000) {
      const { total, rows } = reader.find(question)
      const texts = async function* (columns: readonly string[] | null) {
        const shown = reader.show(question, rows)
        if (shown.length > 0) yield pieceOf(shown, columns)
      }
      return Promise.resolve({ total, texts })
    }
    const { total, upTo } = reader.count(question)
    const texts = async function* (columns: readonly string[] | null) {
      let after: Position | null = null
      for (let offset = question.offset; ; offset = 0) {
        const { rows, next } = reader.next(question, after, upTo, offset, 37)
        if (rows.length > 0) yield pieceOf(rows, columns)
        if (!next) return
        after = next
      }
    }
    return Promise.resolve({ total, texts })
  }

  close(): Promise<void> {
    this.writer.close()
    this.reader.close()
    return Promise.resolve()
  }
}

function pieceOf(rows: readonly Shown[], columns: readonly string[] | null): TextPiece {
  const text = columns ? csvRows(columns, rows) : rows.map((row) => JSON.stringify(row)).join(',')
  return { bytes: Buffer.from(text), rows: rows.length }
}
