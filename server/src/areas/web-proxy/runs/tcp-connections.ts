// TCP connections that others opened to this machine, from the kernel's tables (/proc/net/tcp and tcp6).

import { readFileSync } from 'node:fs'

export interface InboundConnection {
  /** IPv4 or IPv6 as the kernel prints it. */
  readonly address: string
  readonly port: number
}

const states = { established: '01', listening: '0A' } as const

export interface TcpUse {
  /** Ports on which something listens, in this network namespace. */
  readonly listening: ReadonlySet<number>
  /** Established connections to those ports; each place once. */
  readonly inbound: readonly InboundConnection[]
}

export function parseTcpUse(...tables: readonly string[]): TcpUse {
  const rows = tables.flatMap((table) =>
    table
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, local = '', , state]) => {
        const [address = '', port = ''] = local.split(':')
        return /^(?:[0-9A-F]{8}|[0-9A-F]{32})$/.test(address)
          ? [{ address, port: Number.parseInt(port, 16), state }]
          : []
      }),
  )
  const listening = new Set(rows.filter(({ state }) => state === states.listening).map(({ port }) => port))
  const found = rows
    .filter(({ state, port }) => state === states.established && listening.has(port))
    .map(({ address, port }) => ({ address: printAddress(address), port }))
  return { listening, inbound: [...new Map(found.map((one) => [`${one.address} ${one.port}`, one])).values()] }
}

export const readTcpUse = (): TcpUse => parseTcpUse(readText('/proc/net/tcp'), readText('/proc/net/tcp6'))

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** How many sockets the account has that listens at this port; 0 when none does. */
export function countBeside(port: number, ...tables: readonly string[]): number {
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const owner = rows.find(([, local = '', , state]) => state === states.listening && local.endsWith(end))?.[7]
  return owner === undefined ? 0 : rows.filter((row) => row[7] === owner).length
}

export const readBeside = (port: number): number =>
  countBeside(port, readText('/proc/net/tcp'), readText('/proc/net/tcp6'))

/** The tables have words of 32 bits as the processor keeps them. */
function printAddress(text: string): string {
  const bytes = (text.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex').reverse()])
  const last = bytes.slice(-4).join('.')
  if (bytes.length === 4) return last
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (isMapped) return last
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0)).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
