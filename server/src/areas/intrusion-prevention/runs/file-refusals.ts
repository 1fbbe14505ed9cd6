// What was refused of the last file of custom signatures that was not loaded: an answer names the first lines, here are all.

import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createSlices } from '../../../core/workers/slices.ts'
import { type Refusal, type RefusalPage, readRefusals, refusalText } from './refusals.ts'

const atOnce = 1_000

export class FileRefusals {
  readonly #folder: string
  #writing: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** In the place of those before. */
  keep(refusals: readonly Refusal[]): Promise<void> {
    const turn = this.#writing.then(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await this.#write(refusals)
    })
    this.#writing = turn.catch(() => {})
    return turn
  }

  read(offset: number, limit: number): Promise<RefusalPage> {
    return readRefusals(this.#path, offset, limit)
  }

  async #write(refusals: readonly Refusal[]): Promise<void> {
    const staged = `${this.#path}.new`
    const slices = createSlices()
    await using file = await open(staged, 'w', 0o600)
    for (let at = 0; at < refusals.length; at += atOnce) {
      await file.writeFile(refusalText(refusals.slice(at, at + atOnce)))
      await slices()
    }
    await rename(staged, this.#path)
  }

  get #path(): string {
    return join(this.#folder, 'file-refusals.ndjson')
  }
}
