// One call of a webhook: an HTTPS POST with JSON. The receiver can prove with the shared secret that it came from this gateway.
// Where it may go was decided before: the address is given, and the name only proves who answers.

import { createHmac } from 'node:crypto'
import { type RequestOptions, request } from 'node:https'
import type { LookupFunction } from 'node:net'
import { say } from '../../../shared/said.ts'

export interface WebhookCall {
  readonly url: URL
  /** The address of the host of the URL, looked up and checked by the caller. */
  readonly address: string
  /** Empty: the call is not signed. */
  readonly secret: string
  /** Certificates to trust instead of the usual ones; empty: the usual ones. */
  readonly ca: string
  /** The same for every try. */
  readonly id: string
  /** Unix seconds. */
  readonly time: number
  readonly body: string
}

/** Null when the receiver answered with a status from 200 to 299; otherwise why not, in words for the administrator. */
export type CallWebhook = (call: WebhookCall) => Promise<string | null>

const timeoutMilliseconds = 15_000

/** Over the time and the body, so that a recorded call cannot be sent again later. */
export const signatureOf = (secret: string, time: number, body: string): string =>
  `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`

export const createWebhookCall =
  (agent: string): CallWebhook =>
  ({ url, address, secret, ca, id, time, body }) => {
    const options: RequestOptions = {
      method: 'POST',
      headers: {
        'user-agent': agent,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'portcullis-notice': id,
        ...(secret === '' ? {} : { 'portcullis-signature': signatureOf(secret, time, body) }),
      },
      lookup: lookUpAs(address),
      // Each call has its own connection: what one waits for never holds up another.
      agent: false,
      signal: AbortSignal.timeout(timeoutMilliseconds),
      ...(ca === '' ? {} : { ca }),
    }
    return new Promise((resolve) => {
      const outgoing = request(url, options, ({ statusCode = 0 }) => {
        // What it says beside the status is of no interest, and may be long.
        outgoing.destroy()
        resolve(statusCode >= 200 && statusCode < 300 ? null : say`The receiver answered with status ${statusCode}.`)
      })
      outgoing.on('error', ({ message }) => resolve(say`The receiver cannot be reached: ${plain(message)}`))
      outgoing.end(body)
    })
  }

const longestFault = 200

/** It may have words of the receiver, such as the names of its certificate. */
const plain = (text: string): string => text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, longestFault)

const lookUpAs =
  (address: string): LookupFunction =>
  (_name, options, callback) =>
    options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)
