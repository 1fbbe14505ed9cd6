// A client that costs next to nothing: requests on one TLS connection, one after the other, reading just enough of HTTP to
// know where an answer ends.

import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'

/** A port of this machine, or the path of a socket. */
export async function open(where: number | string): Promise<TLSSocket> {
  const target = typeof where === 'number' ? { port: where, host: '127.0.0.1' } : { path: where }
  const socket = connect({ ...target, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  return socket
}

export interface WireAnswer {
  readonly head: string
  readonly body: () => Buffer
}

export const requestText = (method: string, path: string, cookie: string, body?: unknown): string => {
  const payload = body === undefined ? '' : JSON.stringify(body)
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(payload)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\n${length}\r\n${payload}`
}

/** One request and its whole answer; anything but 200 is an error. */
export function exchange(socket: TLSSocket, request: string): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let missing = 0
    let hasHead = false
    let isChunked = false
    let head = ''
    const settle = (finish: () => void): void => {
      socket.off('data', onData)
      socket.off('error', onError)
      finish()
    }
    const onError = (error: Error): void => settle(() => reject(error))
    const onData = (chunk: Buffer): void => {
      let rest = chunk
      if (!hasHead) {
        head += chunk.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        if (!head.startsWith('HTTP/1.1 200')) {
          settle(() => reject(new Error(head.slice(0, 600))))
          return
        }
        rest = Buffer.from(head.slice(end + 4), 'latin1')
        head = head.slice(0, end)
        hasHead = true
        isChunked = /transfer-encoding: chunked/i.test(head)
        missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      }
      missing -= rest.length
      chunks.push(rest)
      const isWhole = isChunked ? endsChunks(chunks) : missing <= 0
      if (isWhole)
        settle(() => resolve({ head, body: () => (isChunked ? withoutSizes(chunks) : Buffer.concat(chunks)) }))
    }
    socket.on('data', onData)
    socket.on('error', onError)
    socket.write(request)
  })
}

const lastChunk = '0\r\n\r\n'

/** JSON has no line breaks of its own, so that the end is not met within it. */
const endsChunks = (chunks: readonly Buffer[]): boolean =>
  Buffer.concat(chunks.slice(-lastChunk.length)).toString('latin1').endsWith(`\r\n${lastChunk}`)

function withoutSizes(chunks: readonly Buffer[]): Buffer {
  const all = Buffer.concat(chunks)
  const parts: Buffer[] = []
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf('\r\n', at)
    const size = Number.parseInt(all.toString('latin1', at, end), 16)
    parts.push(all.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  return Buffer.concat(parts)
}
