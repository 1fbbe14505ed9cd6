// The socket between gatewayd and applyd of a running lab, with the test in the middle: it sees every message, and can hold
// one back and end a process at exactly that moment.

import { chmodSync, chownSync, renameSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createFrameReader, encodeFrame } from '../../src/shared/frames.ts'
import type { LabGateway } from './lab-gateway.ts'
import { until } from './until.ts'

export interface WireMessage {
  readonly from: 'gatewayd' | 'applyd'
  readonly verb: string
  /** What applyd answered; null for a request. */
  readonly status: string | null
}

interface Frame {
  readonly id: number
  readonly verb?: string
  readonly result?: { readonly status?: string } | null
}

export class ApplydWire {
  /** True holds the message back for ever. */
  look: (message: WireMessage) => boolean = () => false
  readonly seen: WireMessage[] = []
  readonly #path: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Of the socket of the test. */
  #inode = 0

  private constructor(path: string) {
    this.#path = path
    this.#server = createServer((socket) => this.#join(socket))
  }

  /** gatewayd starts again, so that it connects through the test. */
  static async begin(gateway: LabGateway): Promise<ApplydWire> {
    const wire = new ApplydWire(join(gateway.stateDir, 'run', 'applyd.sock'))
    await wire.#open()
    await gateway.killGatewayd()
    await until('the head revision is applied through the test', () =>
      wire.seen.some(({ from, verb }) => from === 'applyd' && verb === 'apply'),
    )
    return wire
  }

  get #behind(): string {
    return `${this.#path}.behind`
  }

  async #open(): Promise<void> {
    const { uid, gid, mode } = statSync(this.#path)
    renameSync(this.#path, this.#behind)
    await new Promise<void>((resolve) => this.#server.listen(this.#path, resolve))
    chownSync(this.#path, uid, gid)
    chmodSync(this.#path, mode & 0o777)
    this.#inode = statSync(this.#path).ino
  }

  #join(near: Socket): void {
    const far = connect(this.#behind)
    const verbs = new Map<number, string>()
    this.#forward(near, far, ({ id, verb = '' }) => {
      verbs.set(id, verb)
      return { from: 'gatewayd', verb, status: null }
    })
    this.#forward(far, near, ({ id, result }) => ({
      from: 'applyd',
      verb: verbs.get(id) ?? '',
      status: result?.status ?? '',
    }))
  }

  #forward(from: Socket, to: Socket, describe: (frame: Frame) => WireMessage): void {
    this.#sockets.add(from)
    const read = createFrameReader((frame) => {
      const message = describe(frame as Frame)
      this.seen.push(message)
      if (!this.look(message)) to.write(encodeFrame(frame))
    })
    from.on('data', read)
    from.on('error', () => {})
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
  }

  /** They find each other again without the test. */
  async [Symbol.asyncDispose](): Promise<void> {
    // An applyd that started again since has made a new socket in this place, which must not vanish with ours.
    const isReplaced = statSync(this.#path, { throwIfNoEntry: false })?.ino !== this.#inode
    if (isReplaced) renameSync(this.#path, this.#behind)
    const closed = new Promise((resolve) => this.#server.close(resolve))
    renameSync(this.#behind, this.#path)
    for (const socket of this.#sockets) socket.destroy()
    await closed
    rmSync(this.#behind, { force: true })
  }
}
