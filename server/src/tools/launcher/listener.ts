// The management socket. It is bound here, in the host's network, and only ever accepted from in gatewayd: we
// keep it open without listening to it ourselves, so that callers wait while gatewayd is started again.

import { BoundSocket } from 'node:net'
import { codeOf, LaunchFailure } from './failure.ts'
import { type ListenAddress, showListen } from './settings.ts'

export interface Listener {
  readonly fd: number
  /** With the real port when any port was asked for. */
  readonly address: string
}

/** Sockets that must not be collected while their number is in use. */
const held: BoundSocket[] = []

export function openListener(asked: ListenAddress): Listener {
  try {
    const socket = new BoundSocket({ host: asked.host, port: asked.port })
    held.push(socket)
    return { fd: socket.fd(), address: showListen({ host: asked.host, port: socket.address().port }) }
  } catch (error) {
    throw explain(error, showListen(asked))
  }
}

function explain(error: unknown, address: string): unknown {
  const hint = 'set PORTCULLIS_LISTEN to another address'
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new LaunchFailure(`Something else already listens on ${address}; stop it or ${hint}.`)
    case 'EADDRNOTAVAIL':
      return new LaunchFailure(`This machine does not have the address ${address}; ${hint}.`)
    case 'EACCES':
      return new LaunchFailure(`This user may not open ${address}; ${hint}, with a port above 1023.`)
    default:
      return error
  }
}
