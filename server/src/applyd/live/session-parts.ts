// The kernel's table of connections in parts, for lists of any length: neither side holds the whole text. A reading stays open
// between two parts, for a while and up to a number.

import type { FileHandle } from 'node:fs/promises'
import type { SessionPart } from '../../core/plan/artifacts.ts'
import { Refusal } from '../../engines/kit/values.ts'
import type { Context } from '../context.ts'
import { openTable, readingOf } from './tracking.ts'

const partBytes = 1024 * 1024
const chunkBytes = 64 * 1024
const readingsAtOnce = 4
const idleMs = 30_000

interface Reading {
  readonly file: FileHandle
  /** The begin of a line whose end is in the next part. */
  rest: string
  timer: NodeJS.Timeout
}

export function createSessionParts(context: Pick<Context, 'plane' | 'limitation' | 'tables'>) {
  const readings = new Map<number, Reading>()
  let last = 0

  async function end(number: number): Promise<void> {
    const reading = readings.get(number)
    if (!reading) return
    readings.delete(number)
    clearTimeout(reading.timer)
    await reading.file.close()
  }

  const endLater = (number: number): NodeJS.Timeout => setTimeout(() => void end(number), idleMs).unref()

  /** `reading` is 0 for the first part, then what the part before named as the next. */
  async function read(reading: number): Promise<SessionPart> {
    const about = readingOf(context)
    if (about.limitation !== null) return { ...about, text: '', next: null }
    let number = reading
    if (number === 0) {
      number = ++last
      for (const oldest of [...readings.keys()].slice(0, Math.max(0, readings.size - readingsAtOnce + 1)))
        await end(oldest)
      const opened = await openTable(context.tables.tracking)
      if (typeof opened === 'string') return { ...about, isCounting: false, limitation: opened, text: '', next: null }
      readings.set(number, { file: opened, rest: '', timer: endLater(number) })
    }
    const found = readings.get(number)
    if (!found) throw new Refusal('This reading of the connections is over. Begin again.')
    // No other request may read on in the same reading in the meantime.
    readings.delete(number)
    clearTimeout(found.timer)
    const { text, isEnd } = await readPart(found)
    if (isEnd) {
      await found.file.close()
      return { ...about, text, next: null }
    }
    readings.set(number, { ...found, timer: endLater(number) })
    return { ...about, text, next: number }
  }

  const close = async (): Promise<void> => {
    await Promise.all([...readings.keys()].map(end))
  }

  return { read, close }
}

/** Whole lines only. */
async function readPart(reading: Reading): Promise<{ readonly text: string; readonly isEnd: boolean }> {
  const chunks = [reading.rest]
  for (let size = 0; size < partBytes; ) {
    const { bytesRead, buffer } = await reading.file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes)
    if (bytesRead === 0) return { text: chunks.join(''), isEnd: true }
    chunks.push(buffer.toString('latin1', 0, bytesRead))
    size += bytesRead
  }
  const text = chunks.join('')
  const end = text.lastIndexOf('\n') + 1
  reading.rest = text.slice(end)
  return { text: text.slice(0, end), isEnd: false }
}
