// JSON as bytes that a worker hands over: the event loop only writes them. A reply of many megabytes is never one text, whose
// length is limited, and is sent in pieces as fast as the client reads.

import { Readable } from 'node:stream'
import { Handed } from './tasks.ts'

export const jsonBytes = (value: unknown): Handed<Uint8Array> => handed([Buffer.from(JSON.stringify(value))])

/** `fields` and, last, a long list: `{"revision":7,"changes":[...]}`. */
export const jsonBytesWithList = (fields: object, name: string, items: Iterable<unknown>): Handed<Uint8Array> => {
  const begin = JSON.stringify({ ...fields, [name]: [] }).slice(0, -2)
  return handed([Buffer.from(begin), ...itemBytes(items), Buffer.from(']}')])
}

export const jsonBytesOfList = (items: Iterable<unknown>): Handed<Uint8Array> =>
  handed([Buffer.from('['), ...itemBytes(items), Buffer.from(']')])

function* itemBytes(items: Iterable<unknown>): Generator<Buffer> {
  let separator = ''
  for (const item of items) {
    yield Buffer.from(`${separator}${JSON.stringify(item)}`)
    separator = ','
  }
}

function handed(parts: readonly Buffer[]): Handed<Uint8Array> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return new Handed(bytes, [bytes.buffer])
}

const pieceBytes = 65_536

/** Short ones at once, long ones piece by piece. */
export const sendable = (bytes: Uint8Array): Buffer | Readable =>
  bytes.length <= pieceBytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : Readable.from(pieces(bytes))

/** Holds the bytes themselves while they are sent, so that others can be given the same ones. */
function* pieces(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes)
    yield Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(pieceBytes, bytes.length - at))
}
