// Everything that was refused of an upload, one entry a line of a file, so that all of it can be read in pages whatever its number.

import { createReadStream } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'

export interface Refusal {
  /** Name of the file in an archive; otherwise empty. */
  readonly file: string
  readonly line: number
  /** 0 when the rule could not be read. */
  readonly sid: number
  readonly reason: string
}

export const refusalsFile = 'refusals.ndjson'
/** An upload with more is refused as a whole: it is not one of rules. */
export const maxRefusals = 100_000

export const refusalText = (refusals: readonly Refusal[]): string =>
  refusals.map((one) => `${JSON.stringify(one)}\n`).join('')

export interface RefusalPage {
  readonly total: number
  readonly refusals: readonly Refusal[]
}

/** A file that is not there has none. */
export async function readRefusals(path: string, offset: number, limit: number): Promise<RefusalPage> {
  const refusals: Refusal[] = []
  let total = 0
  let rest = ''
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (total >= offset && refusals.length < limit) refusals.push(JSON.parse(line) as Refusal)
        total++
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return { total, refusals }
}

/** After a power cut it is the file before or this one, whole. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const staged = `${path}.new`
  await writeFile(staged, text, { mode: 0o600 })
  await using file = await open(staged, 'r')
  await file.sync()
  await rename(staged, path)
}
