// How far the log was forwarded, on the disk: the log store itself is the queue, so this is all that must outlive a crash.

import { readFileSync, rmSync } from 'node:fs'
import { writeDurably } from '../../../shared/files/durable-file.ts'

export interface Cursor {
  /** Everything up to here is with the collector. */
  readonly place: number
  /** Records that were removed before they were sent, since forwarding was switched on. */
  readonly lost: number
}

export interface CursorFile {
  /** Null when nothing was being forwarded. */
  read(): Cursor | null
  write(cursor: Cursor): void
  remove(): void
}

export const cursorFile = (path: string): CursorFile => ({
  read: () => parseCursor(textOf(path)),
  write: (cursor) => writeDurably(path, `${JSON.stringify(cursor)}\n`),
  remove: () => rmSync(path, { force: true }),
})

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function parseCursor(text: string): Cursor | null {
  try {
    const { place, lost } = JSON.parse(text) as Partial<Cursor>
    return isCount(place) && isCount(lost) ? { place, lost } : null
  } catch {
    return null
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
