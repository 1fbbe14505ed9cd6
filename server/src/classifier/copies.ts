// Copies of packets that a rule of the firewall sends to a group of the kernel's packet log (linux/netfilter/nfnetlink_log.h).
// Needs the right net_admin of the network namespace. Nothing here waits.

import { dlopen } from 'node:ffi'
import { closeSync, readFileSync, readlinkSync, readSync, writeSync } from 'node:fs'
import { attribute, envelope, flags, locate, numberAttribute, parseReplies } from '../applyd/kernel/netlink.ts'

const families = { netlink: 16, raw: 3, netfilter: 12 } as const
const closeOnExec = 0x80000
const withoutWaiting = 0x800
const socketLevel = 1
const options = { receiveBuffer: 8, receiveBufferForce: 33 } as const
const configure = (4 << 8) | 1
const settings = { command: 1, mode: 2, room: 3, delay: 4, threshold: 5 } as const
const bindGroup = 1
const wholePackets = 2
const payload = 9

/** What comes in a second at the most that the rule allows. */
const roomBytes = 16 * 1024 * 1024
/** The kernel sends several packets at once: after so many bytes, packets or hundredths of a second. */
const [bundleBytes, bundlePackets, bundleDelay] = [64 * 1024, 40, 10]
const receiveBytes = 128 * 1024

const int = 'int32'

export function openCopies(group: number, copiedBytes: number) {
  const { functions: libc } = dlopen(null, {
    socket: { return: int, arguments: [int, int, int] },
    setsockopt: { return: int, arguments: [int, int, int, 'pointer', 'uint32'] },
    bind: { return: int, arguments: [int, 'pointer', 'uint32'] },
  })
  const buffer = Buffer.alloc(receiveBytes)
  const socket = libc.socket(families.netlink, families.raw | closeOnExec | withoutWaiting, families.netfilter)
  if (socket < 0) throw new Error('The kernel offers no netlink socket for netfilter.')
  const address = Buffer.alloc(12)
  address.writeUInt16LE(families.netlink, 0)
  if (libc.bind(socket, address, address.length) !== 0) throw new Error('The netlink socket has no address.')
  const inode = /\d+/.exec(readlinkSync(`/proc/self/fd/${socket}`))?.[0] ?? ''

  function setNumber(option: number, value: number): boolean {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    return libc.setsockopt(socket, socketLevel, option, bytes, bytes.length) === 0
  }
  // A user namespace may not force it and has the room that the system allows.
  if (!setNumber(options.receiveBufferForce, roomBytes)) setNumber(options.receiveBuffer, roomBytes)

  /** The kernel answers at once. */
  function ask(...parts: readonly Buffer[]): number {
    writeSync(socket, envelope(configure, 0, group, flags.request | flags.acknowledge, 1, parts))
    const bytes = buffer.subarray(0, readSync(socket, buffer, 0, buffer.length, null))
    for (const { kind, error } of parseReplies(bytes)) if (kind === 'error') return error
    return 0
  }
  if (ask(attribute(settings.command, Buffer.from([bindGroup]))) !== 0)
    throw new Error(
      'The kernel gives no copies of packets: the right net_admin is missing, or another program gets them.',
    )
  const mode = Buffer.alloc(6)
  mode.writeUInt32BE(copiedBytes, 0)
  mode.writeUInt8(wholePackets, 4)
  const isSet = [
    ask(attribute(settings.mode, mode)),
    ask(numberAttribute(settings.room, bundleBytes)),
    ask(numberAttribute(settings.delay, bundleDelay)),
    ask(numberAttribute(settings.threshold, bundlePackets)),
  ].every((error) => error === 0)
  if (!isSet) throw new Error('The kernel does not accept how copies of packets are wanted.')

  return {
    /** Calls `take` with each packet that has come, of at most `most` bundles; a packet is valid only during its call. */
    receive(most: number, take: (packet: Buffer) => void): void {
      for (let read = 0; read < most; read++) {
        let bytes: Buffer
        try {
          bytes = buffer.subarray(0, readSync(socket, buffer, 0, buffer.length, null))
        } catch (fault) {
          const { code } = fault as NodeJS.ErrnoException
          if (code === 'EAGAIN') return
          // Packets did not fit, which `lost` counts; those that did are still there.
          if (code === 'ENOBUFS') continue
          throw fault
        }
        for (const { kind, body } of parseReplies(bytes)) {
          const place = kind === 'data' ? locate(body, payload, 0, body.length) : null
          if (place) take(body.subarray(...place))
        }
      }
    },

    /** How many bundles of packets the kernel had to drop. */
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

export type Copies = ReturnType<typeof openCopies>
