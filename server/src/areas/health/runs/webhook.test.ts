// Calls of a webhook over real HTTPS: signed, bounded, and only to the machine that was looked up.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ensureCertificate } from '../../../shared/certificates/tls.ts'
import { createWebhookCall, type WebhookCall } from './webhook.ts'

const name = 'hooks.example.test'
const folder = mkdtempSync(join(tmpdir(), 'portcullis-webhook-'))
const callWebhook = createWebhookCall('test/1')
const seen: { readonly headers: IncomingMessage['headers']; readonly body: string; readonly url: string }[] = []
let answer = (response: ServerResponse): void => void response.writeHead(204).end()
let server: Server
let call: WebhookCall
before(async () => {
  const { key, chain } = await ensureCertificate(folder, [name], new Date())
  server = createServer({ key, cert: chain }, async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    seen.push({ headers: request.headers, body: Buffer.concat(parts).toString('utf8'), url: request.url ?? '' })
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  call = {
    url: new URL(`https://${name}:${port}/gateway?x=1`),
    address: '127.0.0.1',
    ca: chain,
    secret: 'shared',
    id: 'notice-1',
    time: 1_767_225_600,
    body: '{"text":"ü"}',
  }
})
after(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

describe('a webhook', () => {
  it('gets the body as it is, signed over its time', async () => {
    assert.equal(await callWebhook(call), null)
    const { headers, body, url } = seen.at(-1) ?? { headers: {}, body: '', url: '' }
    assert.deepEqual([body, url, headers['content-type']], [call.body, '/gateway?x=1', 'application/json'])
    const expected = createHmac('sha256', 'shared').update(`${call.time}.${call.body}`).digest('hex')
    assert.equal(headers['portcullis-signature'], `t=${call.time},v1=${expected}`)
    assert.equal(headers['portcullis-notice'], 'notice-1')
  })

  it('without a secret is not signed', async () => {
    assert.equal(await callWebhook({ ...call, secret: '' }), null)
    assert.equal(seen.at(-1)?.headers['portcullis-signature'], undefined)
  })

  it('counts only statuses from 200 to 299 as delivered, and follows no redirect', async () => {
    const count = seen.length
    for (const status of [301, 302, 400, 404, 500]) {
      answer = (response) => void response.writeHead(status, { location: '/elsewhere' }).end()
      assert.equal(await callWebhook(call), `The receiver answered with status ${status}.`)
    }
    assert.equal(seen.length, count + 5)
  })

  it('is done as soon as the status is there, however long the answer is', async () => {
    answer = (response) => {
      response.writeHead(200)
      response.write('x')
    }
    assert.equal(await callWebhook(call), null)
  })

  it('is not called under another name or with an unknown authority', async () => {
    const count = seen.length
    const other = new URL(call.url)
    other.hostname = 'other.example.test'
    for (const change of [{ url: other }, { ca: '' }])
      assert.match((await callWebhook({ ...call, ...change })) ?? '', /cannot be reached/)
    assert.equal(seen.length, count)
  })
})
