// gatewayd as the portal sees it: a socket that answers what a test says, and fails loudly when it is misused.

import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import {
  type HostState,
  maxPortalFrameBytes,
  type PersonalPage,
  type PortalVerb,
  type PortalVerbs,
} from '../../src/engines/portal/protocol.ts'

export type PortalAnswers = {
  [V in PortalVerb]: (args: PortalVerbs[V]['args']) => PortalVerbs[V]['result'] | Promise<PortalVerbs[V]['result']>
}

export const newcomer: HostState = {
  isEnforced: true,
  isAuthorized: false,
  user: null,
  refusal: null,
  idleSeconds: null,
  isSignedIn: false,
}
export const connectedHost: HostState = {
  isEnforced: true,
  isAuthorized: true,
  refusal: null,
  idleSeconds: 900,
  isSignedIn: true,
  user: { login: 'anna', name: 'Anna Petrova' },
}
export const anna: PersonalPage = {
  login: 'anna',
  name: 'Anna Petrova',
  canChangePassword: true,
  sessions: [
    { id: 's1', type: 'web', address: '10.10.0.23', state: 'connected', startedAt: 1_794_700_000, isThis: true },
    { id: 's2', type: 'ip_mac', address: '10.10.0.77', state: 'over_limit', startedAt: 1_794_600_000, isThis: false },
  ],
}

/** A user signs in with the password "secret" and has access from then on. */
export function usualAnswers(): PortalAnswers {
  let isIn = false
  return {
    host: () => (isIn ? connectedHost : newcomer),
    signIn: ({ password }) => {
      isIn = password === 'secret'
      return isIn ? { status: 'signed_in', token: 'token-of-anna' } : { status: 'refused', reason: 'wrong' }
    },
    confirm: () => ({ status: 'refused', reason: 'expired' }),
    personal: ({ token }) => (token === 'token-of-anna' && isIn ? anna : null),
    endSession: () => ({ status: 'done' }),
    changePassword: () => ({ status: 'done' }),
    signOut: () => {
      isIn = false
      return { status: 'done' }
    },
  }
}

type Call = { readonly [V in PortalVerb]: { readonly verb: V; readonly args: PortalVerbs[V]['args'] } }[PortalVerb]

export class FakePortalGateway {
  readonly calls: Call[] = []
  answers: PortalAnswers = usualAnswers()
  /** Instead of any answer. */
  raw: Buffer | null = null
  readonly #path: string
  readonly #sockets = new Set<Socket>()
  #server: Server | null = null

  constructor(path: string) {
    this.#path = path
  }

  async start(): Promise<void> {
    const server = createServer((socket) => this.#serve(socket))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#path, resolve))
  }

  async stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = null
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /** It goes on listening. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    let kept = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk])
      while (kept.length >= 4 && kept.length >= 4 + kept.readUInt32BE()) {
        const size = kept.readUInt32BE()
        assert.ok(size <= maxPortalFrameBytes)
        const message: unknown = JSON.parse(kept.subarray(4, 4 + size).toString())
        kept = kept.subarray(4 + size)
        void this.#perform(socket, message as Call & { readonly id: number })
      }
    })
  }

  async #perform(socket: Socket, message: Call & { readonly id: number }): Promise<void> {
    const { id, verb, args } = message
    assert.deepEqual(Object.keys(message).toSorted(), ['args', 'id', 'verb'])
    this.calls.push({ verb, args } as Call)
    const answer = this.answers[verb] as (args: unknown) => unknown
    const body = Buffer.from(JSON.stringify({ id, ok: true, result: await answer(args) }))
    const size = Buffer.alloc(4)
    size.writeUInt32BE(body.length)
    if (!socket.destroyed) socket.write(this.raw ?? Buffer.concat([size, body]))
  }
}
