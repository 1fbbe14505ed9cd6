// A listener that is open only while its service is switched on, and follows the switch without a restart: who is connected
// when it is switched off is disconnected.

import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Sockets } from './websocket.ts'

export interface SwitchedParts {
  readonly isOn: () => boolean
  readonly address: { readonly host: string; readonly port: number }
  /** A new server each time, with the sockets it has upgraded. */
  readonly create: () => { readonly server: Server; readonly sockets: Sockets }
  readonly onFault: (error: Error) => void
}

export interface SwitchedListener {
  /** Null while it does not listen. */
  readonly port: number | null
  /** Opens or closes, when the switch has changed. */
  follow(): void
  close(): void
}

export function createSwitchedListener({ isOn, address, create, onFault }: SwitchedParts): SwitchedListener {
  let current: { readonly server: Server; end(): void } | null = null
  const open = (): void => {
    const { server, sockets } = create()
    const connected = new Set<Socket>()
    server.on('connection', (socket: Socket) => {
      connected.add(socket)
      socket.once('close', () => connected.delete(socket))
    })
    const end = (): void => {
      sockets.close()
      server.close()
      // Also those that have not got through their handshake yet, which the server itself does not know.
      for (const socket of connected) socket.destroy()
    }
    const opened = { server, end }
    server.on('error', (error) => {
      // The next change tries again.
      if (current === opened) current = null
      onFault(error)
    })
    server.listen(address)
    current = opened
  }
  const close = (): void => {
    current?.end()
    current = null
  }
  return {
    get port() {
      const bound = current?.server.address()
      return typeof bound === 'object' && bound !== null ? bound.port : null
    },
    follow: () => {
      if (isOn() === (current !== null)) return
      if (current === null) open()
      else close()
    },
    close,
  }
}
