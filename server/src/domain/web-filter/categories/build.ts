// Builds the category index of the lists of the operator, of the uploaded archive and of the starter set, and puts it in place
// of the old one. Until the last step the old file is untouched, so an end at any point leaves a whole index.

import { constants, createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { say } from '../../../shared/said.ts'
import { type FolderNames, findLists, type ListName, listOf } from './folders.ts'
import { type IndexTable, layoutOf, type Origin, printHeader, printTable, type SourceReport } from './format.ts'
import { describeInputs, type ListPlaces } from './inputs.ts'
import { LineReader } from './lines.ts'
import { type ContentSink, readArchive } from './list-archive.ts'
import { ListsRefused } from './refused.ts'
import { RowCollector, type SortedRows } from './rows.ts'
import { SipHash } from './siphash.ts'

/** What is built takes 10 bytes an entry in each process that holds it, and 20 while it is built. */
export const maxEntries = 20_000_000
const maxShownFolders = 100

export interface BuildInput extends ListPlaces {
  /** The file to put in place. */
  readonly target: string
  /** Random: no list may know it. */
  readonly key: Uint8Array
  /** Unix seconds. */
  readonly builtAt: number
  /** How much the new file may take of the disk. */
  readonly mostBytes: number
  readonly maxEntries?: number
  /** Bytes read and bytes to read. */
  readonly progress?: Float64Array
}

/** Rejects with ListsRefused, whose message is a sentence, when the lists cannot be used. */
export async function buildIndex(input: BuildInput): Promise<void> {
  const inputs = await describeInputs(input)
  const collection = new Collection(input)
  const found = await findLists(input.lists)
  const archiveBytes = input.archive === null ? 0 : (await stat(input.archive)).size
  const { progress } = input
  if (progress) progress[1] = found.reduce((sum, { bytes }) => sum + bytes, archiveBytes)
  const onRead = (bytes: number): void => {
    if (progress) progress[0] = (progress[0] as number) + bytes
  }
  // In this order: of several lists with the same entry the first is named.
  collection.begin('operator')
  for (const { path } of found) await readList(join(input.lists, path), collection.openList(path), onRead)
  collection.begin('uploaded')
  if (input.archive !== null) await readArchive(input.archive, (name) => collection.openList(name), { onRead })
  collection.begin('starter')
  for (const { file, category, entries } of input.starter) {
    const sink = collection.openOrigin({ file, folder: file, category }, category)
    sink.write(Buffer.from(`${entries.join('\n')}\n`))
    sink.end()
  }
  await writeIndex(input, collection.rows.sort(), { ...collection.table(), inputs })
}

/** Rejects with ListsRefused unless it is an archive with lists; gives the number of them. */
export async function checkArchive(path: string, folders: FolderNames): Promise<number> {
  let lists = 0
  await readArchive(path, (name) => {
    if (listOf(name, folders)?.category) lists++
    return null
  })
  if (lists > 0) return lists
  throw new ListsRefused(say`The archive cannot be used: no folder in it with domains or urls names a known category.`)
}

async function readList(path: string, sink: ContentSink | null, onRead: (bytes: number) => void): Promise<void> {
  if (!sink) return
  // Should it have become a link or a pipe in the meantime, opening fails or gives nothing; it never waits.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  // Cast: Node takes numbers as well, its types do not.
  const file = createReadStream(path, { flags: flags as unknown as string, highWaterMark: 1024 * 1024 })
  for await (const chunk of file) {
    onRead((chunk as Buffer).length)
    sink.write(chunk as Buffer)
  }
  sink.end()
}

interface Counting {
  readonly name: SourceReport['name']
  entries: number
  refused: number
  readonly categories: Set<string>
  readonly unknown: Set<string>
}

class Collection {
  readonly rows = new RowCollector()
  readonly #folders: FolderNames
  readonly #hash: SipHash
  readonly #most: number
  readonly #origins: Origin[] = []
  readonly #sources: Counting[] = []

  constructor({ folders, key, maxEntries: most = maxEntries }: BuildInput) {
    this.#folders = folders
    this.#hash = new SipHash(key)
    this.#most = most
  }

  begin(name: Counting['name']): void {
    this.#sources.push({ name, entries: 0, refused: 0, categories: new Set(), unknown: new Set() })
  }

  /** For a file of a folder or archive; null when it is not a list of a known category. */
  openList(path: string): ContentSink | null {
    const list = listOf(path, this.#folders)
    if (list && list.category === null) this.#source().unknown.add(list.folder)
    return list && list.category !== null ? this.openOrigin(list, list.category) : null
  }

  openOrigin({ file }: ListName, category: string): ContentSink {
    const source = this.#source()
    const origin = this.#numberOf({ source: source.name, file, category })
    source.categories.add(category)
    const reader = new LineReader(this.#hash, () => {
      if (this.rows.count >= this.#most)
        throw new ListsRefused(say`The lists have more than ${this.#most.toLocaleString('en')} entries.`)
      this.rows.add(this.#hash.high, this.#hash.low, origin)
    })
    return {
      write: (bytes) => reader.write(bytes),
      end: () => {
        reader.end()
        source.entries += reader.counts.entries
        source.refused += reader.counts.refused
      },
    }
  }

  table(): Omit<IndexTable, 'inputs'> {
    return { origins: this.#origins, sources: this.#sources.map(reportOf) }
  }

  #source(): Counting {
    const source = this.#sources.at(-1)
    if (!source) throw new Error('no source of lists was begun')
    return source
  }

  /** The same file twice, as an archive can have it, is one. */
  #numberOf(origin: Origin): number {
    const known = this.#origins.findIndex(
      ({ source, file, category }) => source === origin.source && file === origin.file && category === origin.category,
    )
    if (known !== -1) return known
    if (this.#origins.length > 10_000) throw new ListsRefused(say`There are more than 10,000 lists.`)
    return this.#origins.push(origin) - 1
  }
}

const reportOf = ({ name, entries, refused, categories, unknown }: Counting): SourceReport => ({
  name,
  entries,
  refused,
  categories: categories.size,
  unknownFolders: [...unknown].slice(0, maxShownFolders),
  unknownCount: unknown.size,
})

/** After a power cut there is the old file or the new one, whole. */
async function writeIndex(input: BuildInput, rows: SortedRows, table: IndexTable): Promise<void> {
  const { target, key, builtAt, mostBytes } = input
  const tableBytes = printTable(table)
  const sizes = { rows: rows.count, fanBits: rows.fanBits, tableBytes: tableBytes.length }
  const layout = layoutOf(sizes)
  if (layout.end > mostBytes) throw new ListsRefused(say`The disk has no room for the category index.`)
  const fan = bytesOf(rows.fan)
  const columns = [rows.high, rows.low, rows.origin].map(bytesOf)
  const header = printHeader({
    ...sizes,
    key,
    builtAt,
    tableChecksum: crc32(tableBytes),
    fanChecksum: crc32(fan),
    columnsChecksum: columns.reduce((sum, column) => crc32(column, sum), 0),
  })
  const staged = `${target}.new`
  await rm(staged, { force: true })
  await using file = await open(staged, 'wx', 0o640)
  await writeAt(file, header, 0)
  await writeAt(file, tableBytes, layout.table)
  await writeAt(file, fan, layout.fan)
  let at = layout.high
  for (const column of columns) {
    await writeAt(file, column, at)
    at += column.length
  }
  await file.truncate(layout.end)
  // The mode of the process hides it; the group of the folder reads it.
  await file.chmod(0o640)
  await file.sync()
  await rename(staged, target)
  await using folder = await open(dirname(target), 'r')
  await folder.sync()
}

const bytesOf = (column: Uint32Array | Uint16Array): Buffer =>
  Buffer.from(column.buffer, column.byteOffset, column.byteLength)

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, Math.min(bytes.length - at, 8 * 1024 * 1024), position + at)
    at += bytesWritten
  }
}
