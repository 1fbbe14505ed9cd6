// Asks the antivirus program (clamd) over its socket about one stream, while it arrives (command INSTREAM). An answer is
// believed only when it is one of those that clamd gives for a stream that it read to the end.

import { connect, type Socket } from 'node:net'

export type ScanVerdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'infected'; readonly virus: string }
  /** `isLate`: it takes streams and does not answer about this one in time, because it has too much to do. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly isLate?: true }

const maxAnswer = 4096
export function readAnswer(answer: string): ScanVerdict {
  if (answer === 'stream: OK') return { kind: 'clean' }
  const [, virus] = /^stream: ([!-~]{1,200}) FOUND$/.exec(answer) ?? []
  if (virus !== undefined) return { kind: 'infected', virus }
  const reason = answer.replaceAll(/[^ -~]/g, '?').slice(0, 200)
  return { kind: 'unknown', reason: reason === '' ? 'The antivirus program does not answer.' : reason }
}

export class ClamdStream {
  readonly #socket: Socket
  readonly #verdict: Promise<ScanVerdict>
  #answer = ''

  /** With the signatures of all known viruses a large archive takes long; without an answer in this time it counts as not checked. */
  constructor(path: string, waitMs: number) {
    const socket = connect(path)
    this.#socket = socket
    this.#verdict = new Promise((resolve) => {
      const finish = (reason: string) => resolve(reason === '' ? readAnswer(this.#answer) : { kind: 'unknown', reason })
      socket.setTimeout(waitMs, () => {
        resolve({ kind: 'unknown', reason: 'The antivirus program does not answer in time.', isLate: true })
        socket.destroy()
      })
      socket.on('data', (piece: Buffer) => {
        this.#answer += piece.toString('latin1')
        const end = this.#answer.indexOf('\0')
        if (end < 0 && this.#answer.length < maxAnswer) return
        this.#answer = end < 0 ? '' : this.#answer.slice(0, end)
        finish('')
        socket.destroy()
      })
      socket.on('error', ({ message }) => finish(`The antivirus program cannot be reached: ${message}.`))
      socket.on('close', () => finish('The antivirus program closed the connection.'))
    })
    socket.write('zINSTREAM\0')
  }

  /** Settles when more can be sent. */
  async push(piece: Uint8Array): Promise<void> {
    if (this.#socket.destroyed || piece.length === 0) return
    const length = Buffer.alloc(4)
    length.writeUInt32BE(piece.length)
    this.#socket.write(length)
    if (this.#socket.write(piece)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#socket.once('drain', resolve)
    this.#socket.once('close', resolve)
    await promise
    this.#socket.off('drain', resolve)
    this.#socket.off('close', resolve)
  }

  /** The verdict about everything that was pushed. */
  async end(): Promise<ScanVerdict> {
    if (!this.#socket.destroyed) this.#socket.write(Buffer.alloc(4))
    return this.#verdict
  }

  close(): void {
    this.#socket.destroy()
  }
}
