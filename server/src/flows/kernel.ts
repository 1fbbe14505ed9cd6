// The two netlink sockets of the exporter: one hears of every connection that ends, the other reads the whole table. Calls
// block the thread for a moment at most. Needs the right net_admin of the network namespace.

import { dlopen } from 'node:ffi'
import { closeSync, readFileSync, readlinkSync, readSync, writeSync } from 'node:fs'
import { envelope, flags, parseReplies } from '../applyd/kernel/netlink.ts'
import type { Timeouts } from './ledger.ts'
import { parseTracked, type Tracked } from './tracked.ts'

const families = { netlink: 16, raw: 3, netfilter: 12, ipv4: 2 } as const
const closeOnExec = 0x80000
const withoutWaiting = 0x800
const socketLevel = 1
const options = { receiveBuffer: 8, receiveBufferForce: 33 } as const
const getConnection = (1 << 8) | 1
const groupOfEnded = 3
const readable = 1

/** About fifty thousand connections that end at once. */
const roomBytes = 64 * 1024 * 1024
/** How long a call waits for a connection to end. */
const waitMs = 200
const receiveBytes = 64 * 1024
const none = Buffer.alloc(0)

const int = 'int32'

export function openKernel() {
  const { functions: libc } = dlopen(null, {
    socket: { return: int, arguments: [int, int, int] },
    setsockopt: { return: int, arguments: [int, int, int, 'pointer', 'uint32'] },
    bind: { return: int, arguments: [int, 'pointer', 'uint32'] },
    poll: { return: int, arguments: ['pointer', 'uint64', int] },
  })
  const buffer = Buffer.alloc(receiveBytes)

  function openSocket(flagBits = 0): number {
    const socket = libc.socket(families.netlink, families.raw | closeOnExec | flagBits, families.netfilter)
    if (socket < 0) throw new Error('The kernel offers no netlink socket for netfilter.')
    return socket
  }

  function setNumber(option: number, value: number): boolean {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    return libc.setsockopt(events, socketLevel, option, bytes, bytes.length) === 0
  }

  const events = openSocket(withoutWaiting)
  // A user namespace may not force it and has the room that the system allows.
  if (!setNumber(options.receiveBufferForce, roomBytes)) setNumber(options.receiveBuffer, roomBytes)
  // Family, port and groups; without a port of its own a socket gets no messages.
  const address = Buffer.alloc(12)
  address.writeUInt16LE(families.netlink, 0)
  address.writeUInt32LE(1 << (groupOfEnded - 1), 8)
  if (libc.bind(events, address, address.length) !== 0)
    throw new Error('The kernel does not report connections that end: the right net_admin is missing.')
  /** What poll(2) takes: the descriptor, what is waited for, and what came. */
  const waited = Buffer.alloc(8)
  waited.writeInt32LE(events, 0)
  waited.writeInt16LE(readable, 4)
  const inode = /\d+/.exec(readlinkSync(`/proc/self/fd/${events}`))?.[0] ?? ''

  /** What one message of the kernel holds; null when there is none. */
  function receive(socket: number): Buffer | null {
    try {
      return buffer.subarray(0, readSync(socket, buffer, 0, buffer.length, null))
    } catch (fault) {
      const { code } = fault as NodeJS.ErrnoException
      if (code === 'EAGAIN') return null
      // Messages did not fit, which `lost` counts; those that did are still there.
      if (code === 'ENOBUFS') return none
      throw fault
    }
  }

  return {
    /** Connections that ended: waits a moment for the first one, and takes at most `most`. */
    ended(most: number, isWaiting = true): Tracked[] {
      const found: Tracked[] = []
      if (isWaiting) libc.poll(waited, 1n, waitMs)
      for (let read = 0; read < most; read++) {
        const bytes = receive(events)
        if (bytes === null) break
        for (const { kind, body } of parseReplies(bytes)) {
          const tracked = kind === 'data' ? parseTracked(body) : null
          if (tracked) found.push(tracked)
        }
      }
      return found
    },

    /** The table as it is, in pieces. */
    *connections(): Generator<Tracked[]> {
      const socket = openSocket()
      try {
        writeSync(socket, envelope(getConnection, families.ipv4, 0, flags.request | flags.dump, 1, []))
        for (;;) {
          const piece: Tracked[] = []
          const bytes = receive(socket) ?? none
          for (const { kind, error, body } of parseReplies(bytes)) {
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
    },

    /** How many messages about ended connections the kernel had to drop. */
    lost(): number {
      const row = readFileSync('/proc/net/netlink', 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/ +/))
        .find((words) => words.at(-1) === inode)
      return Number(row?.at(-2) ?? 0)
    },

    close: () => closeSync(events),
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
