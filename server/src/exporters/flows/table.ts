// The table of connections that the kernel tracks. Needs the right net_admin of the network namespace.

import { closeSync, writeSync } from 'node:fs'
import { envelope, flags, parseReplies } from '../../shared/netlink.ts'
import { openAsking, receive } from './netlink-socket.ts'
import { parseTracked, type Tracked } from './tracked.ts'

const ipv4 = 2
const getConnection = (1 << 8) | 1
const receiveBytes = 64 * 1024

/** As it is, in pieces. */
export function* readConnections(): Generator<Tracked[]> {
  const socket = openAsking()
  const buffer = Buffer.alloc(receiveBytes)
  try {
    writeSync(socket, envelope(getConnection, ipv4, 0, flags.request | flags.dump, 1, []))
    for (;;) {
      const piece: Tracked[] = []
      for (const { kind, error, body } of parseReplies(receive(socket, buffer) ?? Buffer.alloc(0))) {
        if (kind !== 'data') {
          if (error !== 0) throw new Error(`The kernel does not list connections (error ${-error}).`)
          yield piece
          return
        }
        const tracked = parseTracked(body)
        if (tracked) piece.push(tracked)
      }
      yield piece
    }
  } finally {
    closeSync(socket)
  }
}
