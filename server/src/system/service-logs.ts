// What the services of the gateway and its engines wrote into their log files: the newest part of each, line by line, and then
// what is added. Files that are not there or not ours to read add nothing.

import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { NamedLog } from '../engines/views.ts'

/** Our own services write JSON. */
const ownPrograms = ['gatewayd', 'applyd', 'launcher']
/** About eight thousand lines of each. */
const newestBytes = 1024 * 1024

export interface ServiceLine {
  readonly program: string
  readonly position: number
  /** Unix milliseconds. */
  readonly time: number
  readonly level: string
  readonly message: string
}

/** How far a file was read, and the time of its last line. */
interface Place {
  readonly file: number
  readonly end: number
  readonly time: number
}

export interface ServiceNews {
  /** The file is another one, or was emptied: what was read of it before is gone. */
  readonly isFullReload: boolean
  /** Lines before this position are no longer shown. */
  readonly keptFrom: number
  readonly lines: readonly ServiceLine[]
}

/** `sources` are the engines whose logs are read. */
export function createServiceLogs(folder: string, sources: readonly NamedLog[]) {
  // Without times of its own, a line is of the time when the file was last written.
  const timeless = new Set(sources.filter(({ form }) => form === 'plain').map(({ name }) => name))
  const places = new Map<string, Place>()
  return {
    programs: [...ownPrograms, ...sources.map(({ name }) => name)] as readonly string[],
    /** What was added to the log of a program since the last time; all there is when that was forgotten. */
    readNews: async (program: string, isForgotten = false): Promise<ServiceNews> => {
      const known = isForgotten ? null : (places.get(program) ?? null)
      try {
        await using file = await open(join(folder, `${program}.log`), 'r')
        const { size, ino, mtimeMs } = await file.stat()
        const isSame = known !== null && known.file === ino && size >= known.end
        const keptFrom = Math.max(0, size - newestBytes)
        const start = isSame ? Math.max(known.end, keptFrom) : keptFrom
        const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
        const bytes = buffer.subarray(0, bytesRead)
        const isCut = start > 0 && !(isSame && start === known.end)
        const since = timeless.has(program) ? mtimeMs : isSame ? known.time : 0
        const lines = parseLog(bytes, program, start, isCut, since)
        const end = start + bytes.lastIndexOf('\n') + 1
        places.set(program, { file: ino, end, time: lines.at(-1)?.time ?? (isSame ? known.time : 0) })
        return { isFullReload: !isSame, keptFrom, lines }
      } catch {
        places.delete(program)
        return { isFullReload: true, keptFrom: 0, lines: [] }
      }
    },
  }
}

/** `start`: the position of the first byte in its file. A line that is cut at the beginning is left out. */
export function parseLog(bytes: Buffer, program: string, start: number, isCut = start > 0, since = 0): ServiceLine[] {
  const lines: ServiceLine[] = []
  let time = since
  let from = isCut ? bytes.indexOf('\n') + 1 : 0
  for (let end = bytes.indexOf('\n', from); end >= 0; from = end + 1, end = bytes.indexOf('\n', from)) {
    const text = bytes.toString('utf8', from, end)
    const fields = parseLine(text)
    time = Date.parse(String(fields.time)) || time
    // Without any time it cannot be placed.
    if (text.trim() === '' || time === 0) continue
    const { level = 'info', message = text } = fields
    lines.push({ program, position: start + from, time, level: String(level), message: plain(String(message)) })
  }
  return lines
}

/** `[1794742996] unbound[60:0] notice: init module 0: respip` */
const engineForm = /^\[(\d{1,12})\] \w{1,20}\[[\d:]{1,20}\] (\w{1,10}): (.*)$/

function parseLine(text: string): Readonly<Record<string, unknown>> {
  const [, seconds, level, message] = text.match(engineForm) ?? []
  if (message !== undefined) return { time: new Date(Number(seconds) * 1000).toISOString(), level, message }
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Programs beside ours may write what a terminal acts on. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 4_000)
