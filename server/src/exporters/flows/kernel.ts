// What the exporter hears of the kernel: every connection that ends, and the whole table. Calls block the thread for a moment
// at most. Needs the right net_admin of the network namespace.

import { dlopen } from 'node:ffi'
import { readFileSync } from 'node:fs'
import { parseReplies } from '../../shared/netlink.ts'
import type { Timeouts } from './ledger.ts'
import { openListening, receive } from './netlink-socket.ts'
import { readConnections } from './table.ts'
import { parseTracked, type Tracked } from './tracked.ts'

const groupOfEnded = 3
const readable = 1

/** About fifty thousand connections that end at once. */
const roomBytes = 64 * 1024 * 1024
/** How long a call waits for a connection to end. */
const waitMs = 200
const receiveBytes = 64 * 1024

const int = 'int32'

export function openKernel() {
  const { functions: libc } = dlopen(null, { poll: { return: int, arguments: ['pointer', 'uint64', int] } })
  const buffer = Buffer.alloc(receiveBytes)
  const { socket, lost, close } = openListening({
    groups: 1 << (groupOfEnded - 1),
    roomBytes,
    refusal: 'The kernel does not report connections that end: the right net_admin is missing.',
  })
  /** What poll(2) takes: the descriptor, what is waited for, and what came. */
  const waited = Buffer.alloc(8)
  waited.writeInt32LE(socket, 0)
  waited.writeInt16LE(readable, 4)

  return {
    /** Connections that ended: waits a moment for the first one, and takes at most `most`. */
    ended(most: number, isWaiting = true): Tracked[] {
      const found: Tracked[] = []
      if (isWaiting) libc.poll(waited, 1n, waitMs)
      for (let read = 0; read < most; read++) {
        const bytes = receive(socket, buffer)
        if (bytes === null) break
        for (const { kind, body } of parseReplies(bytes)) {
          const tracked = kind === 'data' ? parseTracked(body) : null
          if (tracked) found.push(tracked)
        }
      }
      return found
    },

    connections: readConnections,
    lost,
    close,
  }
}

export type Kernel = ReturnType<typeof openKernel>

/** The kernel's defaults where a setting cannot be read. */
export function readTimeouts(folder = '/proc/sys/net/netfilter'): Timeouts {
  const seconds = (name: string, otherwise: number): number => {
    try {
      return Number(readFileSync(`${folder}/nf_conntrack_${name}`, 'utf8').trim()) || otherwise
    } catch {
      return otherwise
    }
  }
  return {
    timeWait: seconds('tcp_timeout_time_wait', 120),
    close: seconds('tcp_timeout_close', 10),
    udp: seconds('udp_timeout', 30),
    udpStream: seconds('udp_timeout_stream', 120),
    icmp: seconds('icmp_timeout', 30),
    generic: seconds('generic_timeout', 600),
  }
}
