// The file of the category index: a header with checksums, a table of where entries come from, a table of where each group of
// hashes begins, then three columns (high and low half of the hash, number of the origin), sorted. 10 bytes an entry.
// Everything is little-endian and aligned, so that a reader takes the columns as they are. Pure.

import { crc32 } from 'node:zlib'
import { type SaidText, say } from '../../../shared/said.ts'
import { keyBytes } from './siphash.ts'

export const formatVersion = 1
export const headerBytes = 64
/** Far above what is built (build.ts): a file that says more is not one of ours. */
const maxRows = 100_000_000
const maxTableBytes = 16 * 1024 * 1024
const maxFanBits = 22
/** Rows that share the first bits of their hash, on average. */
const rowsPerGroup = 64
const magic = Buffer.from('webcat\r\n', 'latin1')
const maxOrigins = 65_535

/** Who brought a list: it ships with the product, was uploaded, or was put into the folder by the operator. */
export const sourceNames = ['starter', 'uploaded', 'operator'] as const
export type SourceName = (typeof sourceNames)[number]

/** A list file. The number of its place in the table is the value of an entry. */
export interface Origin {
  readonly source: SourceName
  /** Such as `gambling/domains`. */
  readonly file: string
  /** Id of the category, such as `extended.id.39`. */
  readonly category: string
}

/** What was read from a source, for the status. */
export interface SourceReport {
  readonly name: SourceName
  readonly entries: number
  readonly categories: number
  readonly refused: number
  /** At most a hundred of them. */
  readonly unknownFolders: readonly string[]
  readonly unknownCount: number
}

export interface IndexTable {
  readonly origins: readonly Origin[]
  readonly sources: readonly SourceReport[]
  /** Says which lists it was built of, to see at a start whether they are others now. */
  readonly inputs: string
}

export interface IndexHeader {
  readonly rows: number
  readonly fanBits: number
  readonly tableBytes: number
  readonly key: Uint8Array
  /** Unix seconds. */
  readonly builtAt: number
  readonly tableChecksum: number
  readonly fanChecksum: number
  readonly columnsChecksum: number
}

/** Where the parts of a file are. */
export interface Layout {
  readonly table: number
  readonly fan: number
  readonly high: number
  readonly low: number
  readonly origin: number
  readonly end: number
}

/** The file cannot be used; the message is a sentence for an administrator. */
export class IndexRefused extends Error {
  declare readonly message: SaidText
  constructor(message: SaidText, options?: ErrorOptions) {
    super(message, options)
  }
}

const refused = (why: string): IndexRefused => new IndexRefused(say`The category index cannot be used: ${why}.`)

export const fanBitsFor = (rows: number): number => {
  let bits = 1
  while (bits < maxFanBits && rows >>> bits > rowsPerGroup) bits++
  return bits
}

const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8

export function layoutOf({ rows, fanBits, tableBytes }: Pick<IndexHeader, 'rows' | 'fanBits' | 'tableBytes'>): Layout {
  const fan = headerBytes + aligned(tableBytes)
  const high = fan + aligned((2 ** fanBits + 1) * 4)
  const low = high + rows * 4
  const origin = low + rows * 4
  return { table: headerBytes, fan, high, low, origin, end: origin + rows * 2 }
}

export function printHeader(header: IndexHeader): Buffer {
  const bytes = Buffer.alloc(headerBytes)
  magic.copy(bytes, 0)
  bytes.writeUInt32LE(formatVersion, 8)
  bytes.writeUInt32LE(header.rows, 12)
  bytes.writeUInt32LE(header.fanBits, 16)
  bytes.writeUInt32LE(header.tableBytes, 20)
  bytes.set(header.key, 24)
  bytes.writeDoubleLE(header.builtAt, 40)
  bytes.writeUInt32LE(header.tableChecksum, 48)
  bytes.writeUInt32LE(header.fanChecksum, 52)
  bytes.writeUInt32LE(header.columnsChecksum, 56)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60)
  return bytes
}

/** Throws unless the header is one and fits a file of this size. */
export function parseHeader(bytes: Buffer, fileBytes: number): IndexHeader {
  if (bytes.length < headerBytes || fileBytes < headerBytes) throw refused(say`it is too short`)
  if (!bytes.subarray(0, magic.length).equals(magic)) throw refused(say`it is a file of another kind`)
  const version = bytes.readUInt32LE(8)
  if (version !== formatVersion) throw refused(`it has version ${version} of the format, and this release reads 1`)
  if (crc32(bytes.subarray(0, 60)) !== bytes.readUInt32LE(60)) throw refused(say`its header is damaged`)
  const header: IndexHeader = {
    rows: bytes.readUInt32LE(12),
    fanBits: bytes.readUInt32LE(16),
    tableBytes: bytes.readUInt32LE(20),
    key: Uint8Array.from(bytes.subarray(24, 24 + keyBytes)),
    builtAt: bytes.readDoubleLE(40),
    tableChecksum: bytes.readUInt32LE(48),
    fanChecksum: bytes.readUInt32LE(52),
    columnsChecksum: bytes.readUInt32LE(56),
  }
  const { rows, fanBits, tableBytes, builtAt } = header
  if (rows > maxRows || fanBits < 1 || fanBits > maxFanBits || tableBytes > maxTableBytes)
    throw refused(say`its header has impossible numbers`)
  if (!Number.isSafeInteger(builtAt) || builtAt < 0) throw refused(say`its header has an impossible time`)
  if (layoutOf(header).end !== fileBytes) throw refused(say`it is incomplete`)
  return header
}

export function printTable(table: IndexTable): Buffer {
  return Buffer.from(JSON.stringify(table))
}

export function parseTable(bytes: Uint8Array, checksum: number): IndexTable {
  if (crc32(bytes) !== checksum) throw refused(say`its table of lists is damaged`)
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw refused(say`its table of lists cannot be read`)
  }
  if (!isTable(value)) throw refused(say`its table of lists has another form`)
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 1_024
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isSource = (value: unknown): value is SourceName => sourceNames.some((name) => name === value)
const isListOf = (value: unknown, most: number, fits: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length <= most && value.every(fits)

const isTable = (value: unknown): value is IndexTable =>
  isObject(value) &&
  isText(value.inputs) &&
  isListOf(value.origins, maxOrigins, isOrigin) &&
  isListOf(value.sources, sourceNames.length, isReport)

const isOrigin = (value: unknown): boolean =>
  isObject(value) && isSource(value.source) && isText(value.file) && isText(value.category)

const isReport = (value: unknown): boolean =>
  isObject(value) &&
  isSource(value.name) &&
  [value.entries, value.categories, value.refused, value.unknownCount].every(isCount) &&
  isListOf(value.unknownFolders, 100, isText)

/** Throws unless groups begin where others end. */
export function checkFan(fan: Uint32Array, rows: number): void {
  let last = 0
  for (const begin of fan) {
    if (begin < last) throw refused(say`its groups are out of order`)
    last = begin
  }
  if (fan[0] !== 0 || last !== rows) throw refused(say`its groups do not cover its entries`)
}

export const damagedColumns = (): IndexRefused => refused(say`its entries are damaged`)
export const damagedGroups = (): IndexRefused => refused(say`its table of groups is damaged`)
export const unreadable = (cause: unknown): IndexRefused => {
  const code = (cause as NodeJS.ErrnoException).code
  return new IndexRefused(
    code === 'ENOENT'
      ? say`There is no category index yet.`
      : say`The category index cannot be read (${code ?? 'unknown'}).`,
    { cause },
  )
}
