// One call to a provider that delivers codes: an HTTPS POST with JSON, answered by JSON. Where it may go was decided before:
// the address is given, and the name only proves who answers. Nothing but the expected answer counts as delivered.

import { type RequestOptions, request } from 'node:https'
import type { LookupFunction } from 'node:net'

export interface ProviderCall {
  readonly url: URL
  /** The address of the host of the URL, looked up and checked by the caller. */
  readonly address: string
  readonly key: string
  readonly timeoutSeconds: number
  readonly body: Readonly<Record<string, string>>
}

/** Null when the provider took the message; otherwise why not, in words for the log. */
export type CallProvider = (call: ProviderCall) => Promise<string | null>

const longestAnswer = 4096

/** Exactly status 200 and a JSON object whose `status` is `accepted`; whatever else comes was not delivered. */
export function judgeAnswer(status: number, contentType: string, body: string): string | null {
  if (status !== 200) return `it answered with status ${status}`
  if (!/^application\/json(?:;|$)/i.test(contentType)) return 'it did not answer with JSON'
  try {
    const answer = JSON.parse(body) as { readonly status?: unknown } | null
    return answer?.status === 'accepted' ? null : 'it did not accept the message'
  } catch {
    return 'its answer is not valid JSON'
  }
}

/** `ca`: certificates to trust instead of the usual ones. */
export const createProviderCall =
  (agent: string, ca: string | null = null): CallProvider =>
  ({ url, address, key, timeoutSeconds, body }) => {
    const text = JSON.stringify(body)
    const options: RequestOptions = {
      method: 'POST',
      headers: {
        'user-agent': agent,
        accept: 'application/json',
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      },
      lookup: lookUpAs(address),
      // Each call has its own connection: what one waits for never holds up another.
      agent: false,
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
      ...(ca === null ? {} : { ca }),
    }
    return new Promise((resolve) => {
      const fail = (error: Error): void => resolve(`it cannot be reached (${error.message})`)
      const outgoing = request(url, options, (incoming) => {
        const parts: Buffer[] = []
        let size = 0
        incoming.on('data', (part: Buffer) => {
          size += part.length
          parts.push(part)
          if (size <= longestAnswer) return
          fail(new Error('the answer is too long'))
          outgoing.destroy()
        })
        incoming.on('error', fail)
        incoming.on('end', () => {
          const type = incoming.headers['content-type'] ?? ''
          resolve(judgeAnswer(incoming.statusCode ?? 0, type, Buffer.concat(parts).toString('utf8')))
        })
      })
      outgoing.on('error', fail)
      outgoing.end(text)
    })
  }

const lookUpAs =
  (address: string): LookupFunction =>
  (_name, options, callback) =>
    options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)
