// Requests that a client sends without waiting for answers: they are taken one after the other, and only a few may wait.
// Node hands over as many as arrive, each with the memory of a request, and holds their answers back in order.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'

/** Beside the one that is being answered. A client that sends more is disconnected. */
const maxWaiting = 32

type Begin = () => void

/** For all requests of the server whose handlers are there already. */
export function takeInTurn(server: Server): void {
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  /** Of connections with a request that is being answered. */
  const waitingOf = new WeakMap<Socket, Begin[]>()
  const next = (socket: Socket): void => {
    const waiting = waitingOf.get(socket)
    // After an answer that ends the connection nothing more is answered.
    const begin = socket.writable ? waiting?.shift() : undefined
    if (begin) begin()
    else waitingOf.delete(socket)
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const begin = (): void => {
      response.once('close', () => next(socket))
      for (const handler of handlers) handler.call(server, request, response)
    }
    const waiting = waitingOf.get(socket)
    if (!waiting) {
      waitingOf.set(socket, [])
      begin()
    } else if (waiting.length < maxWaiting) waiting.push(begin)
    // What was read together with it still comes here, and is not kept either.
    else socket.destroy()
  })
}
