// What the services of the gateway wrote into their log files: the newest part of each, line by line. Files that are not
// there or not ours to read add nothing.

import { open } from 'node:fs/promises'
import { join } from 'node:path'

const programs = ['gatewayd', 'applyd', 'launcher'] as const
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

export const createServiceLogs = (folder: string) => ({
  read: async (): Promise<readonly ServiceLine[]> =>
    (await Promise.all(programs.map((program) => readLog(join(folder, `${program}.log`), program)))).flat(),
})

async function readLog(path: string, program: string): Promise<ServiceLine[]> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    const start = Math.max(0, size - newestBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    return parseLog(buffer.subarray(0, bytesRead), program, start)
  } catch {
    return []
  }
}

/** `start`: where in its file the first byte stands. A line that is cut at the beginning is left out. */
export function parseLog(bytes: Buffer, program: string, start: number): ServiceLine[] {
  const lines: ServiceLine[] = []
  let time = 0
  let from = start === 0 ? 0 : bytes.indexOf('\n') + 1
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

function parseLine(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Programs beside ours may write what a terminal acts on. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 4_000)
