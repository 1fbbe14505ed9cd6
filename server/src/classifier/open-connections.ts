// The connections that the kernel tracks now, by the same keys as packets have. Needs the right net_admin.

import { dlopen } from 'node:ffi'
import { closeSync, readSync, writeSync } from 'node:fs'
import { envelope, flags, parseReplies } from '../applyd/kernel/netlink.ts'
import { parseTracked } from '../flows/tracked.ts'
import { printAddress } from '../net/ipv4.ts'
import { connectionKey } from './packet.ts'

const families = { netlink: 16, raw: 3, netfilter: 12, ipv4: 2 } as const
const closeOnExec = 0x80000
const getConnection = (1 << 8) | 1
const receiveBytes = 64 * 1024
const names: Readonly<Record<number, string>> = { 6: 'tcp', 17: 'udp' }

export function* openConnections(): Generator<string> {
  const { functions: libc } = dlopen(null, {
    socket: { return: 'int32', arguments: ['int32', 'int32', 'int32'] },
  })
  const socket = libc.socket(families.netlink, families.raw | closeOnExec, families.netfilter)
  if (socket < 0) throw new Error('The kernel offers no netlink socket for netfilter.')
  const buffer = Buffer.alloc(receiveBytes)
  try {
    writeSync(socket, envelope(getConnection, families.ipv4, 0, flags.request | flags.dump, 1, []))
    for (;;) {
      const bytes = buffer.subarray(0, readSync(socket, buffer, 0, buffer.length, null))
      for (const { kind, error, body } of parseReplies(bytes)) {
        if (kind !== 'data') {
          if (error !== 0) throw new Error(`The kernel does not list connections (error ${-error}).`)
          return
        }
        const tracked = parseTracked(body)
        const name = tracked === null ? undefined : names[tracked.protocol]
        if (tracked === null || name === undefined) continue
        const { source, sourcePort, destination, destinationPort } = tracked
        yield connectionKey(
          name,
          `${printAddress(source)}:${sourcePort}`,
          `${printAddress(destination)}:${destinationPort}`,
        )
      }
    }
  } finally {
    closeSync(socket)
  }
}
