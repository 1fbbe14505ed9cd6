// Reads lines and bytes from a socket in order, with limits. The socket is paused while enough is waiting, so a client that
// sends faster than it is read is slowed down by TCP.

import type { Socket } from 'node:net'

/** The other side broke the protocol or a limit, went away or was silent for too long. */
export class IcapFault extends Error {
  /** What may be answered before the connection is closed; null when nothing. */
  readonly status: 400 | 404 | 405 | 408 | 413 | null

  constructor(message: string, status: IcapFault['status']) {
    super(message)
    this.status = status
  }
}

const highWater = 256 * 1024

export class ByteReader {
  readonly #socket: Socket
  #pieces: Buffer[] = []
  #bytes = 0
  #isEnded = false
  #isDiscarding = false
  #wake: (() => void) | null = null

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (piece: Buffer) => {
      if (this.#isDiscarding) return
      this.#pieces.push(piece)
      this.#bytes += piece.length
      if (this.#bytes > highWater) socket.pause()
      this.#wake?.()
    })
    const end = () => {
      this.#isEnded = true
      this.#wake?.()
    }
    socket.on('end', end)
    socket.on('close', end)
    socket.on('error', end)
  }

  /** Nothing more is read; what still comes is dropped, so that the other side can read its answer. */
  discard(): void {
    this.#isDiscarding = true
    this.#pieces = []
    this.#bytes = 0
    this.#socket.resume()
  }

  /** False when nothing came in that time. */
  async #more(timeoutMs: number): Promise<boolean> {
    if (this.#isEnded) throw new IcapFault('The connection was closed.', null)
    const before = this.#bytes
    this.#socket.resume()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = null
    return this.#bytes > before || this.#isEnded
  }

  /** Whether something is there to be read, at the latest after that time. */
  async waits(timeoutMs: number): Promise<boolean> {
    return this.#bytes > 0 || (await this.#more(timeoutMs))
  }

  /** At most that many bytes, at least one; null when none came in time. */
  async some(most: number, timeoutMs: number): Promise<Buffer | null> {
    while (this.#bytes === 0) if (!(await this.#more(timeoutMs))) return null
    const [first = Buffer.alloc(0), ...rest] = this.#pieces
    const taken = first.subarray(0, most)
    this.#pieces = taken.length < first.length ? [first.subarray(most), ...rest] : rest
    this.#bytes -= taken.length
    return taken
  }

  async exactly(count: number, timeoutMs: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = count; left > 0; ) {
      const part = await this.some(left, timeoutMs)
      if (part === null) throw new IcapFault('The request did not come in time.', 408)
      parts.push(part)
      left -= part.length
    }
    return Buffer.concat(parts, count)
  }

  /** Everything up to the delimiter, without it. */
  async until(delimiter: string, most: number, timeoutMs: number): Promise<string> {
    for (let searched = 0; ; ) {
      if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)]
      const waiting = this.#pieces[0] ?? Buffer.alloc(0)
      const at = waiting.indexOf(delimiter, searched, 'latin1')
      if (at >= 0 && at <= most) {
        this.#pieces = [waiting.subarray(at + delimiter.length)]
        this.#bytes -= at + delimiter.length
        return waiting.toString('latin1', 0, at)
      }
      if (waiting.length > most) throw new IcapFault('A line or a head is too long.', 413)
      searched = Math.max(0, waiting.length - delimiter.length)
      if (!(await this.#more(timeoutMs))) throw new IcapFault('The request did not come in time.', 408)
    }
  }
}
