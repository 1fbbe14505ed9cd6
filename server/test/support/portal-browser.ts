// A browser without a screen for the portal: keeps cookies, sends forms with the token of the page before, follows nothing.

import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'

export interface PortalAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface PortalQuestion {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export class PortalBrowser {
  readonly cookies = new Map<string, string>()
  readonly port: number
  /** The address it comes from, which stands for a host. */
  readonly source: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  last: PortalAnswer = { status: 0, headers: {}, text: '' }

  constructor(port: number, source = '127.0.0.1') {
    this.port = port
    this.source = source
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PortalAnswer> {
    return this.send({ path, headers })
  }

  /** With the token of the last page unless the fields have another. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PortalAnswer> {
    const form = /name="form" value="([^"]*)"/.exec(this.last.text)?.[1] ?? ''
    return this.send({
      method: 'POST',
      path,
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Origin: `https://127.0.0.1:${this.port}`,
        ...headers,
      },
      body: new URLSearchParams({ form, ...fields }).toString(),
    })
  }

  send({ method = 'GET', path, headers = {}, body }: PortalQuestion): Promise<PortalAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return new Promise((resolve, reject) => {
      const call = request(
        {
          host: '127.0.0.1',
          port: this.port,
          localAddress: this.source,
          agent: this.#agent,
          method,
          path,
          rejectUnauthorized: false,
          headers: { ...(cookie === '' ? {} : { Cookie: cookie }), ...headers },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
          })
          response.once('error', reject)
          response.once('end', () => {
            this.#keep(response.headers['set-cookie'] ?? [])
            this.last = { status: response.statusCode ?? 0, headers: response.headers, text }
            resolve(this.last)
          })
        },
      )
      call.once('error', reject)
      call.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split('; ')
      assert.deepEqual(attributes.filter((one) => !one.startsWith('Max-Age=')).toSorted(), [
        'HttpOnly',
        'Path=/',
        'SameSite=Strict',
        'Secure',
      ])
      const [name = '', value = ''] = pair.split('=', 2)
      assert.match(name, /^__Host-/)
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}
