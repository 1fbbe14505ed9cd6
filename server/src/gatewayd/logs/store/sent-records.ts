// Records on their way to the thread that writes: their cells one after the other, because copying an object for each of them
// costs several times as much on both sides.

import type { Cell } from '../../../core/contract/table-query.ts'
import type { LogKindName } from '../../../domain/logs/kinds.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'

interface Shape {
  readonly kind: LogKindName
  /** The fields, in their order. */
  readonly names: readonly string[]
}

export interface SentRecords {
  readonly count: number
  readonly shapes: readonly Shape[]
  /** Which shape from which record on. */
  readonly runs: readonly { readonly from: number; readonly shape: number }[]
  readonly cells: readonly Cell[]
}

const commonCells = 5

export function sendable(records: readonly NewRecord[]): SentRecords {
  const shapes: Shape[] = []
  const known = new Map<string, number>()
  const runs: { from: number; shape: number }[] = []
  const cells: Cell[] = []
  let last: Shape | undefined
  for (const [at, { kind, time, priority, unit, syslogId, message, fields }] of records.entries()) {
    const start = cells.push(time, priority, unit, syslogId, message)
    let isSame = last?.kind === kind
    for (const name in fields) {
      if (isSame && last?.names[cells.length - start] !== name) isSame = false
      cells.push(fields[name] as Cell)
    }
    if (isSame && last?.names.length === cells.length - start) continue
    const names = Object.keys(fields)
    const key = JSON.stringify([kind, names])
    const shape = known.get(key) ?? shapes.push({ kind, names }) - 1
    known.set(key, shape)
    runs.push({ from: at, shape })
    last = shapes[shape]
  }
  return { count: records.length, shapes, runs, cells }
}

export function* received({ count, shapes, runs, cells }: SentRecords): Generator<NewRecord> {
  let start = 0
  for (const [index, { from, shape }] of runs.entries()) {
    const until = runs[index + 1]?.from ?? count
    const { kind, names } = shapes[shape] as Shape
    for (let at = from; at < until; at++) {
      const [time, priority, unit, syslogId, message] = cells.slice(start, start + commonCells) as [
        time: number,
        priority: number,
        unit: string,
        syslogId: string,
        message: string,
      ]
      start += commonCells
      const fields: Record<string, Cell> = {}
      for (const name of names) fields[name] = cells[start++] as Cell
      yield { kind, time, priority, unit, syslogId, message, fields }
    }
  }
}
