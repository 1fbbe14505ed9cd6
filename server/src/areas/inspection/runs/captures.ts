// Packets of one connection from the ring of capture files that the inspection engine writes. Reading is bounded, and others get
// their turn in the meantime. The engine works on packets of unknown hosts, so its files are taken for what they are: bytes to be checked.

import { constants } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CapturedPacket,
  type ConnectionEnds,
  connectionTest,
  pcapHeaderBytes,
  readPcapHeader,
} from '../../../shared/net/pcap.ts'

export interface CaptureQuestion {
  readonly ends: ConnectionEnds
  /** Unix microseconds. */
  readonly from: number
  readonly until: number
}

export interface CaptureRing {
  /** Packets in the order in which they were captured; none when nothing is kept. */
  find(question: CaptureQuestion, signal: AbortSignal): Promise<readonly CapturedPacket[]>
}

export interface CaptureLimits {
  /** Bytes that are read for one question. */
  readonly read: number
  /** Bytes of packets in an answer. */
  readonly kept: number
}

const usualLimits: CaptureLimits = { read: 256 * 1024 * 1024, kept: 16 * 1024 * 1024 }
const chunkBytes = 256 * 1024
/** Larger ones are not packets. */
const largestPacket = 256 * 1024
const recordHeaderBytes = 16
const mostFiles = 1_000
const nameForm = /^[A-Za-z0-9%._-]{1,120}$/

export function createCaptureRing(folder: string, limits: CaptureLimits = usualLimits): CaptureRing {
  return {
    find: async (question, signal) => {
      const isOfConnection = connectionTest(question.ends)
      const search: Search = { question, isOfConnection, signal, found: [], read: 0, kept: 0, limits }
      for (const path of await filesOf(folder, question.from)) {
        if (signal.aborted || isFull(search)) break
        await searchFile(path, search)
      }
      return search.found.sort((a, b) => a.time - b.time)
    },
  }
}

interface Search {
  readonly question: CaptureQuestion
  readonly isOfConnection: (packet: Buffer) => boolean
  readonly signal: AbortSignal
  readonly limits: CaptureLimits
  readonly found: CapturedPacket[]
  read: number
  kept: number
}

const isFull = ({ read, kept, limits }: Search): boolean => read >= limits.read || kept >= limits.kept

/** Files that were written to after the beginning, oldest first. */
async function filesOf(folder: string, from: number): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  const files: { path: string; written: number }[] = []
  for (const name of names.filter((one) => nameForm.test(one)).slice(0, mostFiles)) {
    const path = join(folder, name)
    const facts = await stat(path).catch(() => null)
    if (facts?.isFile() && facts.mtimeMs * 1000 >= from - second) files.push({ path, written: facts.mtimeMs })
  }
  return files.sort((a, b) => a.written - b.written).map(({ path }) => path)
}
const second = 1_000_000

async function searchFile(path: string, search: Search): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => null)
  if (!file) return
  try {
    if ((await file.stat()).isFile()) await searchPackets(file, search)
  } finally {
    await file.close()
  }
}

async function searchPackets(file: FileHandle, search: Search): Promise<void> {
  let rest = Buffer.alloc(0)
  let place = 0
  let isLittle: boolean | null = null
  while (!search.signal.aborted && !isFull(search)) {
    const chunk = Buffer.allocUnsafe(chunkBytes)
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, place)
    if (bytesRead === 0) return
    place += bytesRead
    search.read += bytesRead
    let bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
    if (isLittle === null) {
      const header = readPcapHeader(bytes)
      if (!header) return
      isLittle = header.isLittleEndian
      bytes = bytes.subarray(pcapHeaderBytes)
    }
    const used = takePackets(bytes, isLittle, search)
    // A packet that cannot be one, or the end of what is looked for.
    if (used === null) return
    rest = Buffer.from(bytes.subarray(used))
  }
}

/** How many bytes were looked at; null when the rest of the file is of no use. */
function takePackets(bytes: Buffer, isLittle: boolean, search: Search): number | null {
  const { from, until } = search.question
  let at = 0
  while (at + recordHeaderBytes <= bytes.length) {
    const word = (offset: number): number =>
      isLittle ? bytes.readUInt32LE(at + offset) : bytes.readUInt32BE(at + offset)
    const [time, length, whole] = [word(0) * second + word(4), word(8), word(12)]
    if (length > largestPacket) return null
    const end = at + recordHeaderBytes + length
    if (end > bytes.length) return at
    const packet = bytes.subarray(at + recordHeaderBytes, end)
    if (time >= from && time <= until && search.isOfConnection(packet)) {
      if (search.kept + length > search.limits.kept) {
        search.kept = search.limits.kept
        return null
      }
      search.kept += length
      search.found.push({ time, length: whole, bytes: Buffer.from(packet) })
    }
    at = end
  }
  return at
}
