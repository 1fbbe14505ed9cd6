// Records as rows of the log server's tables.

import { columnsOf, type LogKindName, noNumber } from '../../../logs/kinds.ts'
import type { KeptRecord } from '../../../logs/record.ts'
import { storedCell } from '../../../logs/show.ts'
import { RowWriter } from '../../../render/clickhouse.ts'
import { foldedOf } from './cells.ts'
import { sliceOf } from './schema.ts'

/** Rows of one table and one slice, in the order of their places. The server stores all of them or none. */
export interface Run {
  readonly kind: LogKindName
  readonly slice: number
  readonly writer: RowWriter
  first: number
  last: number
}

/** Adds records to the runs that go to the server; those of a slice that is not the last one of its kind begin a new run. */
export class RunWriter {
  readonly runs: Run[] = []
  readonly #open = new Map<LogKindName, Run>()
  readonly #gateway: string

  constructor(gateway: string) {
    this.#gateway = gateway
  }

  get bytes(): number {
    return this.runs.reduce((sum, { writer }) => sum + writer.size, 0)
  }

  add(record: KeptRecord, place: number): void {
    const slice = sliceOf(record.time)
    let run = this.#open.get(record.kind)
    if (run?.slice !== slice) {
      run = { kind: record.kind, slice, writer: new RowWriter(), first: place, last: place }
      this.#open.set(record.kind, run)
      this.runs.push(run)
    }
    run.last = place
    writeRow(run.writer, this.#gateway, record, place)
  }
}

function writeRow(writer: RowWriter, gateway: string, record: KeptRecord, place: number): void {
  const names: string[] = []
  const cells: string[] = []
  writer.text(gateway)
  writer.number(place)
  for (const { name, form } of columnsOf(record.kind)) {
    const cell = storedCell(record, name)
    if (form === 'number') {
      writer.number(Number.isSafeInteger(cell) ? Number(cell) : noNumber)
      continue
    }
    const text = String(cell)
    writer.text(text)
    const folded = foldedOf(text)
    if (folded === null) continue
    names.push(name)
    cells.push(folded)
  }
  writer.texts(names)
  writer.texts(cells)
}
