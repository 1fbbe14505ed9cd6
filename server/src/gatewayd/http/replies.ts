// How a reply leaves: as it is, or compressed when the client accepts that, never faster than the client takes it. The work is
// done by threads; the event loop only hands the bytes on.

import { pipeline, Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { gzipOf, LongReply, longestWhole, type Parts, type Segment } from '../../core/area/segments.ts'
import { eventStreamType } from '../../core/contract/endpoint.ts'
import { acceptedBy, type Coding, shortestCompressed } from './encoding.ts'
import { etagWith } from './request.ts'
import type { Reply } from './serialise.ts'

/** Fast rather than small, and with windows that many clients at once can have. */
const windowBits = 18
const options = {
  gzip: { level: 1 },
  br: {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: windowBits },
  },
  zstd: {
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: windowBits },
  },
} as const

const atOnce: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => promisify<Buffer, object, Buffer>(gzip)(bytes, options.gzip),
  br: (bytes) => promisify<Buffer, object, Buffer>(brotliCompress)(bytes, options.br),
  zstd: (bytes) => promisify<Buffer, object, Buffer>(zstdCompress)(bytes, options.zstd),
}

const streaming: Readonly<Record<Coding, () => Transform>> = {
  gzip: () => createGzip(options.gzip),
  br: () => createBrotliCompress(options.br),
  zstd: () => createZstdCompress(options.zstd),
}

/** Types that become smaller; a backup is compressed already, and an event must not wait for others in a window. */
const isText = (contentType: unknown): boolean =>
  typeof contentType === 'string' &&
  !contentType.startsWith(eventStreamType) &&
  /^(text\/|application\/json\b)/.test(contentType)

type Content = Reply | Buffer

/** Sends it in the coding that the client likes best, or as it is where it may not be compressed. */
export function sendContent(
  reply: FastifyReply,
  content: Content,
  mayCompress: boolean,
): FastifyReply | Promise<FastifyReply> {
  const ready = content instanceof LongReply ? content.ready : null
  return ready ? ready.then((made) => sendReady(reply, made, mayCompress)) : sendReady(reply, content, mayCompress)
}

function sendReady(reply: FastifyReply, content: Content, mayCompress: boolean): FastifyReply | Promise<FastifyReply> {
  const accepted = acceptedBy(reply.request.headers['accept-encoding'])
  const isLong = accepted.refusesPlain || lengthOf(content) >= shortestCompressed
  const coding = content instanceof LongReply ? accepted.keptCoding : accepted.coding
  const isCompressed = coding !== null && isLong && mayCompress && isText(reply.getHeader('content-type'))
  return isCompressed ? sendCompressed(reply, content, coding) : sendPlain(reply, content)
}

/** Streams are made for what is long. */
const lengthOf = (content: Content): number =>
  typeof content === 'string' || Buffer.isBuffer(content) ? content.length : Number.POSITIVE_INFINITY

function sendPlain(reply: FastifyReply, content: Content): FastifyReply {
  if (!(content instanceof LongReply)) {
    return content instanceof Readable ? sendStream(reply, content) : reply.send(content)
  }
  const { whole } = content
  if (!whole) return sendStream(reply, Readable.from(bytesOf(content.read())))
  return sendParts(reply, whole)
}

function sendCompressed(reply: FastifyReply, content: Content, coding: Coding): FastifyReply | Promise<FastifyReply> {
  const isStreamed = content instanceof LongReply || content instanceof Readable
  if (!isStreamed && reply.request.method !== 'HEAD') {
    return atOnce[coding](Buffer.from(content)).then((bytes) => marked(reply, coding).send(bytes))
  }
  void marked(reply, coding)
  if (content instanceof LongReply) return sendLong(reply, content, coding)
  return sendStream(reply, content instanceof Readable ? through(content, coding) : Readable.from([]))
}

function marked(reply: FastifyReply, coding: Coding): FastifyReply {
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && isReading(reply)) void reply.header('etag', etagWith(tag, coding))
  return reply.header('content-encoding', coding)
}

/** The tag of a change is not that of its reply. */
const isReading = ({ request }: FastifyReply): boolean => request.method === 'GET' || request.method === 'HEAD'

function sendLong(reply: FastifyReply, content: LongReply, coding: Coding): FastifyReply {
  if (coding !== 'gzip') return sendStream(reply, through(Readable.from(bytesOf(content.read())), coding))
  const { wholeGzip } = content
  return wholeGzip ? sendParts(reply, wholeGzip) : sendStream(reply, Readable.from(gzipOf(content.read())))
}

function through(source: Readable, coding: Coding): Readable {
  const compressing = streaming[coding]()
  // A failure ends the reply, which is where it is reported.
  pipeline(source, compressing, () => {})
  return compressing
}

async function* bytesOf(segments: AsyncIterable<Segment>): AsyncGenerator<Buffer> {
  for await (const { bytes } of segments) yield bytes
}

function sendParts(reply: FastifyReply, { buffers, length }: Parts): FastifyReply {
  const [only, ...others] = buffers
  if (only && others.length === 0) return reply.send(only)
  if (length <= longestWhole) return reply.send(Buffer.concat(buffers))
  return sendStream(reply.header('content-length', length), Readable.from(joined(buffers)))
}

/** Few large parts: each is a turn on its way to the client. */
function* joined(parts: readonly Buffer[]): Generator<Buffer> {
  let gathered: Buffer[] = []
  let length = 0
  for (const part of parts) {
    gathered.push(part)
    length += part.length
    if (length < longestWhole) continue
    yield Buffer.concat(gathered)
    gathered = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(gathered)
}

/** The headers of a HEAD are those of the GET; its body is not made. */
function sendStream(reply: FastifyReply, stream: Readable): FastifyReply {
  if (reply.request.method !== 'HEAD') return reply.send(stream)
  stream.destroy()
  return reply.send(Readable.from([]))
}
