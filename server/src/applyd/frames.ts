// The form of a message on the socket, used by both ends: a 4-byte big-endian length and that many bytes of JSON.

import { createHash } from 'node:crypto'
import { type EngineFile, maxFrameBytes } from '../plan/artifacts.ts'

/** Both ends of a connection remember the pieces and files of this many plans; what they know is sent by its hash. */
export const rememberedPlans = 4

const hashes = new WeakMap<EngineFile, string>()

/** Sent instead of a file that the other end knows. Files never change, so each is hashed once. */
export function hashOfFile(file: EngineFile): string {
  const known = hashes.get(file)
  const hash = known ?? createHash('sha256').update(`${file.name}\n`).update(file.text).digest('hex')
  if (known === undefined) hashes.set(file, hash)
  return hash
}

export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  if (body.length > maxFrameBytes) throw new Error('The message is too large.')
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** Returns a function that takes chunks and passes on each complete message; it throws on invalid data. */
export function createFrameReader(onMessage: (message: unknown) => void): (chunk: Buffer) => void {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let chunks: Buffer[] = []
  let size = 0
  // Chunks are joined only when this many bytes are there: first the length, then all of the message.
  let needed = 4
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    while (size >= needed) {
      const all = Buffer.concat(chunks)
      const end = 4 + all.readUInt32BE()
      if (end > 4 + maxFrameBytes) throw new Error('A frame is too large.')
      const isComplete = all.length >= end
      chunks = [isComplete ? all.subarray(end) : all]
      size = chunks[0]?.length ?? 0
      needed = isComplete ? 4 : end
      if (isComplete) onMessage(JSON.parse(utf8.decode(all.subarray(4, end))))
    }
  }
}
