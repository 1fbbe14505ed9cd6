// A client of a running gateway over its real TLS listener: keeps the two cookies, takes compressed answers as browsers do, and
// reads them as JSON.

import assert from 'node:assert/strict'
import { Agent, request } from 'node:https'
import { createGunzip } from 'node:zlib'
import { patienceMs } from './until.ts'

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

export class ApiClient {
  readonly #address: URL
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  #cookie = ''

  constructor(address: string) {
    this.#address = new URL(address)
  }

  /** Both cookies, for requests that are written by hand. */
  get cookie(): string {
    return this.#cookie
  }

  /** Rejects without an answer: the connection broke, or `timeoutMs` passed. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    timeoutMs = patienceMs,
  ): Promise<ApiAnswer> {
    // Bytes, because with a string Node would write the headers as UTF-8 too.
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, this.#address),
        {
          method,
          agent: this.#agent,
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            'accept-encoding': 'gzip',
            ...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
            ...(payload === undefined ? {} : { 'content-length': payload.length }),
            ...headers,
          },
        },
        (incoming) => {
          let text = ''
          incoming.on('error', reject)
          const isCompressed = incoming.headers['content-encoding'] === 'gzip'
          const plain = isCompressed ? incoming.pipe(createGunzip()).on('error', reject) : incoming
          plain.setEncoding('utf8')
          plain.on('data', (part: string) => {
            text += part
          })
          plain.on('end', () => {
            const isJson = String(incoming.headers['content-type']).startsWith('application/json')
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              body: isJson && text !== '' ? JSON.parse(text) : text,
            })
          })
        },
      )
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The gateway closed a connection that was idle for long, just when it was wanted again.
        const isStale = outgoing.reusedSocket && error.code === 'ECONNRESET'
        if (isStale) resolve(this.call(method, path, body, headers, timeoutMs))
        else reject(error)
      })
      outgoing.end(payload)
    })
  }

  /** A call that must succeed; returns the body. */
  async ok(method: string, path: string, body?: unknown): Promise<ApiAnswer['body']> {
    const answer = await this.call(method, path, body)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async signIn(login: string, password: string): Promise<void> {
    const { status, headers, body } = await this.call('POST', '/web/auth/login', { login, password, rest_path: '/' })
    if (status !== 200) throw new Error(`sign-in answered ${status}: ${JSON.stringify(body)}`)
    const cookies = headers['set-cookie'] ?? []
    this.#cookie = (Array.isArray(cookies) ? cookies : [cookies]).map((cookie) => cookie.split(';')[0]).join('; ')
  }

  close(): void {
    this.#agent.destroy()
  }
}
