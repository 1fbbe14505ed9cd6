// Sockets of the kernel's netlink interface to netfilter: one that only asks, and one that listens. Needs the right net_admin
// of the network namespace.

import { dlopen } from 'node:ffi'
import { closeSync, readFileSync, readlinkSync, readSync } from 'node:fs'

const families = { netlink: 16, raw: 3, netfilter: 12 } as const
const closeOnExec = 0x80000
const withoutWaiting = 0x800
const socketLevel = 1
const options = { receiveBuffer: 8, receiveBufferForce: 33 } as const
const none = Buffer.alloc(0)

const int = 'int32'

const openLibrary = () =>
  dlopen(null, {
    socket: { return: int, arguments: [int, int, int] },
    setsockopt: { return: int, arguments: [int, int, int, 'pointer', 'uint32'] },
    bind: { return: int, arguments: [int, 'pointer', 'uint32'] },
  }).functions

/** Answers to what is written to it can be read at once. */
export function openAsking(flagBits = 0, libc = openLibrary()): number {
  const socket = libc.socket(families.netlink, families.raw | closeOnExec | flagBits, families.netfilter)
  if (socket < 0) throw new Error('The kernel offers no netlink socket for netfilter.')
  return socket
}

export interface Listening {
  /** Bits of the groups whose messages are wanted. */
  readonly groups: number
  /** For messages that nothing has read yet. */
  readonly roomBytes: number
  /** What it means that the kernel refuses. */
  readonly refusal: string
}

export function openListening({ groups, roomBytes, refusal }: Listening) {
  const libc = openLibrary()
  const socket = openAsking(withoutWaiting, libc)
  const setNumber = (option: number, value: number): boolean => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    return libc.setsockopt(socket, socketLevel, option, bytes, bytes.length) === 0
  }
  // A user namespace may not force it and has the room that the system allows.
  if (!setNumber(options.receiveBufferForce, roomBytes)) setNumber(options.receiveBuffer, roomBytes)
  // Family, port and groups; without a port of its own a socket gets no messages.
  const address = Buffer.alloc(12)
  address.writeUInt16LE(families.netlink, 0)
  address.writeUInt32LE(groups, 8)
  if (libc.bind(socket, address, address.length) !== 0) throw new Error(refusal)
  const inode = /\d+/.exec(readlinkSync(`/proc/self/fd/${socket}`))?.[0] ?? ''
  return {
    socket,

    /** How many messages the kernel had to drop. */
    lost(): number {
      const row = readFileSync('/proc/net/netlink', 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/ +/))
        .find((words) => words.at(-1) === inode)
      return Number(row?.at(-2) ?? 0)
    },

    close: () => closeSync(socket),
  }
}

/** What one message of the kernel holds; null when there is none. */
export function receive(socket: number, buffer: Buffer): Buffer | null {
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
