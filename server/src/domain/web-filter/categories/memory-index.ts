// The index in memory, for the process that decides about every request. The file is read whole and closed: it can be replaced
// or removed afterwards. It is read in pieces, so that questions are answered in the meantime.

import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import {
  checkFan,
  damagedColumns,
  damagedGroups,
  headerBytes,
  IndexRefused,
  layoutOf,
  parseHeader,
  parseTable,
  unreadable,
} from './format.ts'
import { type CategoryIndex, createIndex, type Rows } from './lookup.ts'

const piece = 4 * 1024 * 1024

/** Rejects with IndexRefused, whose message is a sentence, when the file is missing, damaged or of another kind. */
export async function loadCategoryIndex(path: string): Promise<CategoryIndex> {
  try {
    await using file = await open(path, 'r')
    return await load(file)
  } catch (error) {
    throw error instanceof IndexRefused ? error : unreadable(error)
  }
}

async function load(file: FileHandle): Promise<CategoryIndex> {
  const { size } = await file.stat()
  const start = Buffer.alloc(headerBytes)
  await file.read(start, 0, headerBytes, 0)
  const header = parseHeader(start, size)
  const layout = layoutOf(header)
  const bytes = Buffer.from(new ArrayBuffer(size))
  const read = async (begin: number, end: number): Promise<number> => {
    let sum = 0
    for (let at = begin; at < end; ) {
      const { bytesRead } = await file.read(bytes, at, Math.min(piece, end - at), at)
      if (bytesRead === 0) throw damagedColumns()
      sum = crc32(bytes.subarray(at, at + bytesRead), sum)
      at += bytesRead
    }
    return sum
  }
  await read(layout.table, layout.table + header.tableBytes)
  const table = parseTable(bytes.subarray(layout.table, layout.table + header.tableBytes), header.tableChecksum)
  const fanEnd = layout.fan + (2 ** header.fanBits + 1) * 4
  if ((await read(layout.fan, fanEnd)) !== header.fanChecksum) throw damagedGroups()
  const fan = new Uint32Array(bytes.buffer, layout.fan, 2 ** header.fanBits + 1)
  checkFan(fan, header.rows)
  if ((await read(layout.high, layout.end)) !== header.columnsChecksum) throw damagedColumns()
  const rows: Columns = {
    fan,
    high: new Uint32Array(bytes.buffer, layout.high, header.rows),
    low: new Uint32Array(bytes.buffer, layout.low, header.rows),
    origin: new Uint16Array(bytes.buffer, layout.origin, header.rows),
  }
  return createIndex(header, table, rowsIn(rows, header.fanBits), size)
}

interface Columns {
  readonly fan: Uint32Array
  readonly high: Uint32Array
  readonly low: Uint32Array
  readonly origin: Uint16Array
}

function rowsIn({ fan, high, low, origin }: Columns, fanBits: number): Rows {
  const shift = 32 - fanBits
  const share = 1 / 2 ** shift
  const within = 2 ** shift - 1
  return {
    each: (first, second, take) => {
      const group = first >>> shift
      const begin = fan[group] as number
      const end = fan[group + 1] as number
      // Hashes are spread evenly, so a row is near its share of the group: one line of the cache instead of a search over several.
      let at = begin + Math.floor((first & within) * share * (end - begin))
      while (at > begin && (high[at - 1] as number) >= first) at--
      while (at < end && (high[at] as number) < first) at++
      for (; at < end && high[at] === first; at++) if (low[at] === second) take(origin[at] as number)
    },
  }
}
