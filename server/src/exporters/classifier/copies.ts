// Copies of packets that a rule of the firewall sends to a group of the kernel's packet log (linux/netfilter/nfnetlink_log.h).
// Needs the right net_admin of the network namespace. Nothing here waits.

import { readSync, writeSync } from 'node:fs'
import { attribute, envelope, flags, locate, numberAttribute, parseReplies } from '../../shared/netlink.ts'
import { openListening, receive } from '../flows/netlink-socket.ts'

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

export function openCopies(group: number, copiedBytes: number) {
  const buffer = Buffer.alloc(receiveBytes)
  const { socket, lost, close } = openListening({
    groups: 0,
    roomBytes,
    refusal: 'The netlink socket has no address.',
  })

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
        const bytes = receive(socket, buffer)
        if (bytes === null) return
        for (const { kind, body } of parseReplies(bytes)) {
          const place = kind === 'data' ? locate(body, payload, 0, body.length) : null
          if (place) take(body.subarray(...place))
        }
      }
    },

    /** Of bundles of packets. */
    lost,
    close,
  }
}

export type Copies = ReturnType<typeof openCopies>
