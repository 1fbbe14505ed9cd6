// The frames of the socket to gatewayd (protocol.ts), from the portal's side.

/** Longer answers do not exist: the longest is the list of a user's sessions. */
const maxAnswerBytes = 256 * 1024

export function encodeFrame(message: unknown, maxBytes: number): Buffer | null {
  const body = Buffer.from(JSON.stringify(message))
  if (body.length > maxBytes) return null
  const frame = Buffer.allocUnsafe(4 + body.length)
  frame.writeUInt32BE(body.length)
  body.copy(frame, 4)
  return frame
}

/** Takes chunks and passes on each whole message; throws on what is not one. */
export function createFrameReader(onMessage: (message: unknown) => void): (chunk: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0)
  return (chunk) => {
    kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
    while (kept.length >= 4) {
      const size = kept.readUInt32BE()
      if (size > maxAnswerBytes) throw new Error('A frame is too large.')
      if (kept.length < 4 + size) return
      const body = kept.subarray(4, 4 + size)
      kept = kept.subarray(4 + size)
      onMessage(JSON.parse(body.toString('utf8')))
    }
  }
}
