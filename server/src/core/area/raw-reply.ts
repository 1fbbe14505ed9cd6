// Replies that are not made from a value by the schema of their endpoint: files, pages, streams, and JSON that is already written.

import { Readable } from 'node:stream'
import { sendable } from '../workers/json-bytes.ts'
import { LongReply } from './segments.ts'

/** A reply that is not JSON of the endpoint's schema: CSV, a page, a file. */
export interface RawReply {
  readonly contentType: string
  readonly content: RawContent
  /** The same as bytes, where it is the JSON of the reply. */
  readonly json?: Uint8Array
}

type RawContent = string | Buffer | LongReply | Readable

const rawReplies = new WeakSet<object>()

/** Pieces that come one after the other are sent as the client takes them. */
export function rawReply(contentType: string, content: RawContent | AsyncIterable<Uint8Array | string>): RawReply {
  const isReady =
    typeof content === 'string' ||
    Buffer.isBuffer(content) ||
    content instanceof LongReply ||
    content instanceof Readable
  return known({ contentType, content: isReady ? content : Readable.from(content, { objectMode: false }) })
}

function known(reply: RawReply): RawReply {
  rawReplies.add(reply)
  return reply
}

/** JSON of the endpoint's reply that is already written, such as by a worker. */
export const jsonReply = (json: Uint8Array): RawReply => known({ contentType: jsonType, content: sendable(json), json })

export const jsonType = 'application/json; charset=utf-8'

export const isRawReply = (value: unknown): value is RawReply =>
  typeof value === 'object' && value !== null && rawReplies.has(value)
