// Frames of RFC 6455 as a server reads and writes them: masked text in, unmasked text out, nothing negotiated. What breaks
// the rules is a SocketFault with the code to close with.

export const closeCodes = {
  normal: 1000,
  protocolError: 1002,
  unsupported: 1003,
  policy: 1008,
  tooBig: 1009,
  ourFault: 1011,
} as const

export class SocketFault extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'SocketFault'
    this.code = code
  }
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface Frame {
  readonly opcode: number
  readonly isFinal: boolean
  readonly payload: Buffer
}

const maxControlBytes = 125
const maskBytes = 4

interface Header {
  readonly opcode: number
  readonly isFinal: boolean
  readonly headerBytes: number
  readonly payloadBytes: number
}

/** Holds at most one frame and what came with it; how long a frame may be is known before it is held. */
export class FrameReader {
  readonly #maxPayloadBytes: number
  #chunks: Buffer[] = []
  #size = 0
  #needed = 2

  constructor(maxPayloadBytes: number) {
    this.#maxPayloadBytes = maxPayloadBytes
  }

  *read(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#size >= this.#needed) {
      const bytes = Buffer.concat(this.#chunks)
      this.#chunks = [bytes]
      const header = this.#header(bytes)
      this.#needed = header ? header.headerBytes + header.payloadBytes : this.#needed + 1
      if (!header || this.#size < this.#needed) continue
      const mask = bytes.subarray(header.headerBytes - maskBytes, header.headerBytes)
      const payload = unmask(bytes.subarray(header.headerBytes, this.#needed), mask)
      this.#chunks = [bytes.subarray(this.#needed)]
      this.#size -= this.#needed
      this.#needed = 2
      yield { opcode: header.opcode, isFinal: header.isFinal, payload }
    }
  }

  /** Null when the header is not all there yet. */
  #header(bytes: Buffer): Header | null {
    const first = bytes.readUInt8(0)
    const second = bytes.readUInt8(1)
    const opcode = first & 0x0f
    const isFinal = (first & 0x80) !== 0
    if ((first & 0x70) !== 0) throw new SocketFault(closeCodes.protocolError, 'Nothing was negotiated.')
    if (!Object.values(opcodes).includes(opcode as never)) {
      throw new SocketFault(closeCodes.protocolError, 'This kind of frame is not known.')
    }
    if ((second & 0x80) === 0) throw new SocketFault(closeCodes.protocolError, 'Frames of a client must be masked.')
    const short = second & 0x7f
    if (opcode >= opcodes.close && (!isFinal || short > maxControlBytes)) {
      throw new SocketFault(closeCodes.protocolError, 'Control frames are short and whole.')
    }
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0
    const headerBytes = 2 + lengthBytes + maskBytes
    if (bytes.length < headerBytes) return null
    const payloadBytes =
      lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : lengthBytes === 2 ? bytes.readUInt16BE(2) : short
    if (payloadBytes > this.#maxPayloadBytes) throw new SocketFault(closeCodes.tooBig, 'The message is too long.')
    return { opcode, isFinal, headerBytes, payloadBytes }
  }
}

const unmask = (payload: Buffer, mask: Buffer): Buffer =>
  Buffer.from(payload.map((byte, index) => byte ^ (mask[index % maskBytes] ?? 0)))

export function writeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  header.writeUInt8(0x80 | opcode, 0)
  header.writeUInt8(length < 126 ? length : length < 65_536 ? 126 : 127, 1)
  if (header.length === 4) header.writeUInt16BE(length, 2)
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, payload])
}

export function writeClose(code: number, reason = ''): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
  payload.writeUInt16BE(code, 0)
  payload.write(reason, 2)
  return writeFrame(opcodes.close, payload)
}

/** The code of a close frame as it may be sent back; a frame without one says 1005, which stays unsaid. */
export function readClose(payload: Buffer): number {
  if (payload.length === 0) return closeCodes.normal
  const code = payload.length === 1 ? 0 : payload.readUInt16BE(0)
  const isAllowed = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || isApplications(code)
  if (!isAllowed) throw new SocketFault(closeCodes.protocolError, 'This code does not exist.')
  return code
}

const isApplications = (code: number): boolean => code >= 3000 && code <= 4999
