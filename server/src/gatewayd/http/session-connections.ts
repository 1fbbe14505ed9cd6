// Which connections carried which session, so that the end of a session also ends its connections: idle ones, requests that
// have not arrived completely, replies under way. A call that already acts is answered first; its connection ends after that.

import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'

interface Connection {
  readonly sessions: Set<string>
  /** Calls that act now. */
  acts: number
  isOver: boolean
}

export class SessionConnections {
  readonly #bySession = new Map<string, Set<Socket>>()
  readonly #connections = new WeakMap<Socket, Connection>()

  /** A request with this session arrived. Requests injected by tests have no connection. */
  carry(session: string, socket: unknown): void {
    if (!(socket instanceof Socket)) return
    const { sessions } = this.#connectionOf(socket)
    if (sessions.has(session)) return
    sessions.add(session)
    const sockets = this.#bySession.get(session)
    if (sockets) sockets.add(socket)
    else this.#bySession.set(session, new Set([socket]))
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket)
    if (known) return known
    const connection: Connection = { sessions: new Set(), acts: 0, isOver: false }
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      for (const session of connection.sessions) this.#forget(session, socket)
    })
    return connection
  }

  #forget(session: string, socket: Socket): void {
    const sockets = this.#bySession.get(session)
    sockets?.delete(socket)
    if (sockets?.size === 0) this.#bySession.delete(session)
  }

  /** A call is about to act; call once for each response. */
  beginAct(response: ServerResponse): void {
    const { socket } = response
    if (!(socket instanceof Socket)) return
    const connection = this.#connectionOf(socket)
    connection.acts++
    response.once('close', () => {
      connection.acts--
      if (connection.isOver && connection.acts === 0) socket.destroySoon()
    })
  }

  end(session: string): void {
    const sockets = this.#bySession.get(session) ?? []
    this.#bySession.delete(session)
    for (const socket of sockets) {
      const connection = this.#connectionOf(socket)
      connection.isOver = true
      if (connection.acts === 0) socket.destroy()
    }
  }
}
