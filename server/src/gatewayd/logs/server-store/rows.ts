// Records as rows of the log server's tables.

import { columnsOf, type LogKindName, noNumber } from '../../../domain/logs/kinds.ts'
import type { KeptRecord } from '../../../domain/logs/record.ts'
import { storedCell } from '../../../domain/logs/show.ts'
import { foldedOf } from './cells.ts'
import { RowWriter } from './clickhouse.ts'
import { sliceOf } from './schema.ts'

/** Rows of one table and one slice, in the order of their places. The server stores all of them or none. */
export interface Run {
  readonly kind: LogKindName
  readonly key: string
  readonly writer: RowWriter
  last: number
}

export const runKey = (kind: LogKindName, slice: number): string => `${kind} ${slice}`

/** The records of one step, as the runs that go to the server. */
export class RunWriter {
  readonly #runs = new Map<string, Run>()
  readonly #gateway: string
  /** The largest place of each run that the server has. */
  readonly #stored: ReadonlyMap<string, number>

  constructor(gateway: string, stored: ReadonlyMap<string, number>) {
    this.#gateway = gateway
    this.#stored = stored
  }

  get bytes(): number {
    return this.runs().reduce((sum, { writer }) => sum + writer.size, 0)
  }

  runs(): Run[] {
    return [...this.#runs.values()]
  }

  /** Leaves out what the server has. */
  add(record: KeptRecord, place: number): void {
    const key = runKey(record.kind, sliceOf(record.time))
    if (place <= (this.#stored.get(key) ?? 0)) return
    const run = this.#runs.get(key) ?? { kind: record.kind, key, writer: new RowWriter(), last: place }
    this.#runs.set(key, run)
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
