// The socket that the helper of the proxy asks at: lines in, lines out. What was read together is answered in one write. A peer
// that breaks the form loses its connection and no other.

import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { channelOf, downAnswer, fullAnswer, parseAskLine, printAnswer } from '../engines/web-filter/ask-line.ts'
import { type Judging, judge } from './judge.ts'

export interface AskServerParts {
  readonly path: string
  /** Null while there is nothing to decide with. */
  readonly judging: () => Judging | null
  readonly onFault: (error: unknown) => void
}

/** The proxy has one helper; an old one may not have gone yet. */
const connectionLimit = 64
/** The helper sends no longer line. */
const maxLine = 2 * 1024 * 1024
const maxUnread = 8 * 1024 * 1024

export interface AskNumbers {
  asked: number
  denied: number
}

export function answerLine(line: string, judging: Judging | null, numbers: AskNumbers): string {
  const channel = channelOf(line)
  if (channel === null) return ''
  if (line === `${channel} PING`) return `${channel} PONG\n`
  numbers.asked += 1
  const asked = parseAskLine(line)
  if (judging === null) return downAnswer(channel)
  if (asked === null) return fullAnswer(channel)
  const answer = judge(asked, judging)
  if (answer.verdict === 'deny' && answer.stage !== 'tls') numbers.denied += 1
  return printAnswer(channel, answer)
}

export class AskServer {
  readonly numbers: AskNumbers = { asked: 0, denied: 0 }
  readonly #parts: AskServerParts
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(parts: AskServerParts) {
    this.#parts = parts
    this.#server = createServer((socket) => this.#serve(socket))
    this.#server.maxConnections = connectionLimit
  }

  get connections(): number {
    return this.#sockets.size
  }

  /** The folder gives the socket its group, which is that of the proxy. */
  async listen(): Promise<void> {
    rmSync(this.#parts.path, { force: true })
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#parts.path, resolve)
    })
    chmodSync(this.#parts.path, 0o660)
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    let rest = ''
    // One character a byte: the proxy escapes what is not ASCII.
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLine) return socket.destroy()
      const judging = this.#parts.judging()
      let answers = ''
      for (const line of lines) answers += this.#answer(line, judging)
      if (answers !== '') socket.write(answers, 'latin1')
      // A peer that asks and never reads must not fill the memory.
      if (socket.writableLength > maxUnread) socket.destroy()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#sockets.delete(socket))
  }

  #answer(line: string, judging: Judging | null): string {
    try {
      return answerLine(line, judging, this.numbers)
    } catch (error) {
      this.#parts.onFault(error)
      return fullAnswer(channelOf(line) ?? '')
    }
  }
}
