// Writing and reading the files of backups: piece by piece, with their checksum taken on the way, because they may be large.

import { createHash } from 'node:crypto'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants

/** What the list of backups shows of a file. */
export interface Measure {
  /** A checksum to compare by eye; what proves a file are its seal and its signature. */
  readonly md5: string
  readonly size: number
}

/** The bytes are on the disk when this is done, though perhaps not yet the name. */
export async function writeChunks(path: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<Measure> {
  const hash = createHash('md5')
  let size = 0
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      await file.writeFile(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { md5: hash.digest('hex'), size }
}

const pieceBytes = 1024 * 1024

/** At the start only, when no request waits. `start` are the first bytes, as far as the first piece reaches. */
export function measureSync(path: string): Measure & { readonly start: Buffer } {
  const hash = createHash('md5')
  const file = openSync(path, 'r')
  let start: Buffer | null = null
  let size = 0
  try {
    for (;;) {
      const piece = Buffer.alloc(pieceBytes)
      const bytes = piece.subarray(0, readSync(file, piece))
      start ??= bytes
      if (bytes.length === 0) return { md5: hash.digest('hex'), size, start }
      hash.update(bytes)
      size += bytes.length
    }
  } finally {
    closeSync(file)
  }
}
