// The form of a message on the socket, used by both ends: a 4-byte big-endian length and that many bytes of JSON.

/** Of both directions. */
export const maxFrameBytes = 64 * 1024 * 1024

export function encodeFrame(message: unknown): Buffer {
  const text = JSON.stringify(message)
  const size = Buffer.byteLength(text)
  if (size > maxFrameBytes) throw new Error('The message is too large.')
  const frame = Buffer.allocUnsafe(4 + size)
  frame.writeUInt32BE(size)
  frame.write(text, 4)
  return frame
}

/**
 * Returns a function that takes chunks and passes on each complete message; it throws on invalid data. `vet` sees the bytes
 * of a message before they are parsed.
 */
export function createFrameReader(
  onMessage: (message: unknown, bytes: number) => void,
  maxBytes = maxFrameBytes,
  vet: (bytes: Buffer) => void = () => {},
): (chunk: Buffer) => void {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let chunks: Buffer[] = []
  let size = 0
  // Chunks are joined only when this many bytes are there: first the length, then all of the message.
  let needed = 4
  return (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    while (size >= needed) {
      const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
      const end = 4 + all.readUInt32BE()
      if (end > 4 + maxBytes) throw new Error('A frame is too large.')
      const isComplete = all.length >= end
      const rest = isComplete ? all.subarray(end) : all
      // A view of a few bytes would keep all of a large message in memory until the next one.
      const isView = isComplete && rest.length < all.length / 2
      chunks = rest.length === 0 ? [] : [isView ? Buffer.from(rest) : rest]
      size = rest.length
      needed = isComplete ? 4 : end
      if (!isComplete) continue
      const message = all.subarray(4, end)
      vet(message)
      onMessage(JSON.parse(utf8.decode(message)), message.length)
    }
  }
}
