// Texts that are too long for one row: they are written in parts before the commit that needs them, each in a turn of the event
// loop of its own, and the row has a reference with their SHA-256. What no row refers to is removed, in parts too. A text without
// a reference is nothing: a crash between the two leaves no trace in the configuration (decision 101).

import { createHash, hash as digest } from 'node:crypto'
import type { Database, Urgency } from '../database/database.ts'
import { createSlices } from '../workers/slices.ts'
import { lengthOf } from './long-json.ts'

/** JSON of more characters than this is not written in one go. */
const longestInRow = 32 * 1024
/** Bytes, about, of one part. */
const partBytes = 128 * 1024
/** Removed in one go. */
const partsRemoved = 8
/** `@<number> <bytes> <SHA-256>`: no JSON begins like this. */
const referenceForm = /^@(\d+) (\d+) ([0-9a-f]{64})$/

export interface LongText {
  readonly reference: string
  readonly bytes: number
}

export const isLong = (value: unknown): boolean => lengthOf(value, longestInRow) > longestInRow

export class LongTexts {
  readonly #database: Database
  /** Written for a commit that is still to come. */
  #expected = new Set<number>()
  /** The same for the base of the history, which no other commit gives up. */
  readonly #held = new Set<number>()
  #loaded: { readonly stored: string; readonly text: string } | null = null
  /** Something may be there that no row refers to; at a start, what a crash left. */
  #mayHaveUnused = true

  constructor(database: Database) {
    this.#database = database
    database.onRolledBack(() => this.noteUnused())
  }

  /** What was written for a commit and is not in a row by now is not needed any longer. */
  giveUpOthers(): void {
    if (this.#expected.size === 0) return
    this.#expected = new Set()
    this.noteUnused()
  }

  noteUnused(): void {
    this.#mayHaveUnused = true
  }

  /** The text is in a row by now, or not needed. */
  release({ reference }: LongText): void {
    if (this.#held.delete(numberOf(reference))) this.noteUnused()
  }

  /** Stays until it is released. */
  hold(texts: Iterable<string>, slices: () => Promise<void> | undefined): Promise<LongText> {
    return this.#write(texts, 'refusable', slices, this.#held)
  }

  write(texts: Iterable<string>, urgency: Urgency, slices = createSlices()): Promise<LongText> {
    return this.#write(texts, urgency, slices, this.#expected)
  }

  async #write(
    texts: Iterable<string>,
    urgency: Urgency,
    slices: () => Promise<void> | undefined,
    needed: Set<number>,
  ): Promise<LongText> {
    const number = this.#database.stage(
      () => Number(this.#database.prepare('INSERT INTO long_texts (bytes) VALUES (0)').run().lastInsertRowid),
      urgency,
    )
    needed.add(number)
    this.noteUnused()
    const hash = createHash('sha256')
    let [bytes, part, pending] = [0, 0, '']
    const flush = (): void => {
      const body = Buffer.from(pending)
      pending = ''
      hash.update(body)
      bytes += body.length
      part++
      this.#database.stage(() => {
        this.#database
          .prepare('INSERT INTO long_text_parts (text, part, body) VALUES (?, ?, ?)')
          .run(number, part, body)
        this.#database.prepare('UPDATE long_texts SET bytes = ? WHERE text = ?').run(bytes, number)
      }, urgency)
    }
    try {
      for (const text of texts) {
        pending += text
        if (pending.length >= partBytes) flush()
        await slices()
      }
      if (pending !== '') flush()
    } catch (error) {
      needed.delete(number)
      throw error
    }
    return { reference: `@${number} ${bytes} ${hash.digest('hex')}`, bytes }
  }

  /** Whether it can still be referred to: one that waited too long for its commit may be gone. */
  has({ reference, bytes }: LongText): boolean {
    const row = this.#database.prepare('SELECT bytes FROM long_texts WHERE text = ?').get(numberOf(reference))
    return row !== undefined && Number(row.bytes) === bytes
  }

  /** The text of a row, wherever it is; null when a part of it is damaged or missing. */
  read(stored: string): string | null {
    const [, number, , expected] = referenceForm.exec(stored) ?? []
    if (number === undefined) return stored
    if (this.#loaded?.stored === stored) return this.#loaded.text
    const parts: Buffer[] = []
    for (let at = 1; ; at++) {
      const part = this.#part(Number(number), at)
      if (!part) break
      parts.push(part)
    }
    return joined(parts, expected)
  }

  /** Afterwards read() has it at hand. */
  async load(stored: string, slices: () => Promise<void> | undefined): Promise<void> {
    const text = await this.readInSlices(stored, slices)
    if (text !== null && text !== stored) this.#loaded = { stored, text }
  }

  /** What read() gives. */
  async readInSlices(stored: string, slices: () => Promise<void> | undefined): Promise<string | null> {
    const [, number, , expected] = referenceForm.exec(stored) ?? []
    if (number === undefined) return stored
    const hash = createHash('sha256')
    const parts: Buffer[] = []
    for (let at = 1; ; at++) {
      const part = this.#part(Number(number), at)
      if (!part) break
      hash.update(part)
      parts.push(part)
      await slices()
    }
    return hash.digest('hex') === expected ? Buffer.concat(parts).toString() : null
  }

  /** The last text that was loaded is needed once. */
  unload(): void {
    this.#loaded = null
  }

  #part(text: number, part: number): Buffer | null {
    const row = this.#database.prepare('SELECT body FROM long_text_parts WHERE text = ? AND part = ?').get(text, part)
    if (!row) return null
    const { buffer, byteOffset, byteLength } = row.body as Uint8Array
    return Buffer.from(buffer, byteOffset, byteLength)
  }

  hasUnused(): boolean {
    if (!this.#mayHaveUnused) return false
    this.#mayHaveUnused = this.#findUnused() !== null
    return this.#mayHaveUnused
  }

  /** Removes some of what no row refers to. In a turn of its own. */
  removeSome(): void {
    const number = this.#findUnused()
    if (number === null) return
    this.#database.stage(() => {
      const { changes } = this.#database
        .prepare(
          `DELETE FROM long_text_parts WHERE text = ? AND part IN
             (SELECT part FROM long_text_parts WHERE text = ? ORDER BY part DESC LIMIT ?)`,
        )
        .run(number, number, partsRemoved)
      if (changes === 0) this.#database.prepare('DELETE FROM long_texts WHERE text = ?').run(number)
    }, 'urgent')
  }

  #findUnused(): number | null {
    const texts = this.#database.prepare<{ text: number }>('SELECT text FROM long_texts').all()
    const others = texts.filter(({ text }) => !this.#expected.has(text) && !this.#held.has(text))
    if (others.length === 0) return null
    // The same words as in the indexes, so that only rows with a reference are looked at.
    const rows = this.#database
      .prepare<{ reference: string }>(
        `SELECT body AS reference FROM items WHERE substr(body, 1, 1) = '@'
         UNION ALL SELECT body FROM base_items WHERE substr(body, 1, 1) = '@'
         UNION ALL SELECT changes FROM revisions WHERE substr(changes, 1, 1) = '@'
         UNION ALL SELECT changes FROM damaged_revisions WHERE substr(changes, 1, 1) = '@'`,
      )
      .all()
    const inUse = new Set(rows.map(({ reference }) => numberOf(reference)))
    return others.find(({ text }) => !inUse.has(text))?.text ?? null
  }
}

const joined = (parts: readonly Buffer[], expected: string | undefined): string | null => {
  const all = Buffer.concat(parts)
  return digest('sha256', all) === expected ? all.toString() : null
}

const numberOf = (reference: string): number => Number(referenceForm.exec(reference)?.[1] ?? 0)

export const bytesOf = (stored: string): number => Number(referenceForm.exec(stored)?.[2] ?? Buffer.byteLength(stored))
