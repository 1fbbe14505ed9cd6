// The portal's end of its socket to gatewayd, for tests that need a sign-in and no page.

import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import {
  type PortalVerb,
  type PortalVerbs,
  portalSocket,
  type SignInResult,
} from '../../src/engines/portal/protocol.ts'
import { until } from './until.ts'

interface Reply {
  readonly id: number
  readonly ok: boolean
  readonly result?: unknown
  readonly message?: string
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

export class PortalClient {
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  #kept: Buffer = Buffer.alloc(0)
  #count = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('gatewayd closed the connection of the portal'))
    })
  }

  /** Waits until gatewayd listens. */
  static async open(stateDir: string): Promise<PortalClient> {
    let client: PortalClient | null = null
    await until('gatewayd listens for the portal', async () => {
      const socket = createConnection(join(stateDir, portalSocket))
      try {
        await once(socket, 'connect')
        client = new PortalClient(socket)
      } catch {
        socket.destroy()
      }
      return client !== null
    })
    return client ?? Promise.reject(new Error('no connection'))
  }

  call<V extends PortalVerb>(verb: V, args: PortalVerbs[V]['args']): Promise<PortalVerbs[V]['result']> {
    const id = this.#count++
    const body = Buffer.from(JSON.stringify({ id, verb, args }))
    const frame = Buffer.allocUnsafe(4 + body.length)
    frame.writeUInt32BE(body.length)
    body.copy(frame, 4)
    this.#socket.write(frame)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (result) => resolve(result as PortalVerbs[V]['result']), reject })
    })
  }

  signIn(address: string, login: string, password: string): Promise<SignInResult> {
    return this.call('signIn', { address, login, password })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk])
    while (this.#kept.length >= 4) {
      const size = this.#kept.readUInt32BE()
      if (this.#kept.length < 4 + size) return
      const { id, ok, result, message } = JSON.parse(this.#kept.subarray(4, 4 + size).toString('utf8')) as Reply
      this.#kept = this.#kept.subarray(4 + size)
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (ok) waiting?.resolve(result)
      else waiting?.reject(new Error(message))
    }
  }
}
