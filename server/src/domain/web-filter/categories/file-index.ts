// The index read from its file at each question, for a process that is asked seldom: it holds the table of lists and nothing
// else. It keeps the file open, so a question is answered from one file also when another takes its name in the meantime.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { headerBytes, IndexRefused, layoutOf, parseHeader, parseTable, unreadable } from './format.ts'
import { type CategoryIndex, createIndex, type Rows } from './lookup.ts'

/** Rows read at once; groups are much shorter unless one name is in thousands of lists. */
const rowsAtOnce = 1_024

export interface OpenIndex extends CategoryIndex {
  /** Afterwards it finds nothing. */
  close(): void
}

/** Throws IndexRefused, whose message is a sentence, when the file is missing, damaged or of another kind. */
export function openCategoryIndex(path: string): OpenIndex {
  let file = -1
  try {
    file = openSync(path, 'r')
    return serve(file)
  } catch (error) {
    if (file !== -1) closeSync(file)
    throw error instanceof IndexRefused ? error : unreadable(error)
  }
}

function serve(file: number): OpenIndex {
  const { size } = fstatSync(file)
  const header = parseHeader(readAt(file, 0, headerBytes), size)
  const layout = layoutOf(header)
  const table = parseTable(readAt(file, layout.table, header.tableBytes), header.tableChecksum)
  let isOpen = true
  const shift = 32 - header.fanBits
  const rows: Rows = {
    each: (high, low, take) => {
      if (!isOpen) return
      const group = readAt(file, layout.fan + (high >>> shift) * 4, 8)
      if (group.length < 8) return
      const end = Math.min(group.readUInt32LE(4), header.rows)
      for (let at = group.readUInt32LE(0); at < end; at += rowsAtOnce) {
        const count = Math.min(rowsAtOnce, end - at)
        if (!eachOf(at, count, high, low, take)) return
      }
    },
  }
  /** False when the rows are past that hash. */
  const eachOf = (at: number, count: number, high: number, low: number, take: (origin: number) => void): boolean => {
    const highs = readAt(file, layout.high + at * 4, count * 4)
    for (let row = 0; row * 4 + 4 <= highs.length; row++) {
      const value = highs.readUInt32LE(row * 4)
      if (value > high) return false
      if (value !== high) continue
      const lower = readAt(file, layout.low + (at + row) * 4, 4)
      if (lower.length < 4 || lower.readUInt32LE(0) !== low) continue
      const origin = readAt(file, layout.origin + (at + row) * 2, 2)
      if (origin.length === 2) take(origin.readUInt16LE(0))
    }
    return true
  }
  return {
    ...createIndex(header, table, rows, size),
    close: () => {
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/** Shorter than asked for where the file ends. */
function readAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let done = 0
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, at + done)
    if (count === 0) break
    done += count
  }
  return bytes.subarray(0, done)
}
