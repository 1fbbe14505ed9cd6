// What the kernel knows of our side of a TCP connection: how much the other side has not acknowledged, and whether it answers.
// Node does not offer it, so it is read from the kernel's table (proc(5), net/tcp).

import { readFile } from 'node:fs/promises'

export interface SendQueue {
  /** Bytes that were sent or wait, and that the kernel of the other side has not acknowledged. */
  readonly bytes: number
  /** How often the same bytes were sent without an answer, or it was asked for room without an answer. */
  readonly unanswered: number
}

export interface TcpEnds {
  readonly localAddress: string
  readonly localPort: number
  readonly host: string
  readonly port: number
}

export const readSendQueue = async (ends: TcpEnds): Promise<SendQueue | null> =>
  parseSendQueue(await readFile('/proc/net/tcp', 'latin1'), ends)

/** Null when the table does not have the connection: it has ended. */
export function parseSendQueue(table: string, ends: TcpEnds): SendQueue | null {
  const key = ` ${printEnd(ends.localAddress, ends.localPort)} ${printEnd(ends.host, ends.port)} `
  const at = table.indexOf(key)
  if (at < 0) return null
  const [, queues = '', , repeats = '', , probes = ''] = table
    .slice(at + key.length, at + key.length + 120)
    .split(/\s+/)
  const bytes = Number.parseInt(queues.slice(0, 8), 16)
  const unanswered = Math.max(Number.parseInt(repeats, 16), Number.parseInt(probes, 10))
  return Number.isNaN(bytes) || Number.isNaN(unanswered) ? null : { bytes, unanswered }
}

/** Addresses are words of 32 bits as the processor keeps them: those we run on have the lowest byte first. */
function printEnd(address: string, port: number): string {
  const bytes = address.split('.').map(Number).reverse()
  return `${Buffer.from(bytes).toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
}
