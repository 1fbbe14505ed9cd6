// Calls to a provider of codes: over real HTTPS, and what of its answers counts.
// Requirement 31.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ensureCertificate } from '../../../shared/certificates/tls.ts'
import { createProviderCall, judgeAnswer, type ProviderCall } from './provider-call.ts'

describe('the answer of a provider', () => {
  it('counts as delivered only when it says so', () => {
    assert.equal(judgeAnswer(200, 'application/json; charset=utf-8', '{"status":"accepted","id":7}'), null)
    for (const [status, type, body] of [
      [201, 'application/json', '{"status":"accepted"}'],
      [302, 'application/json', '{"status":"accepted"}'],
      [500, 'application/json', '{"status":"accepted"}'],
      [200, 'text/html', '{"status":"accepted"}'],
      [200, '', '{"status":"accepted"}'],
      [200, 'application/json', '{"status":"rejected"}'],
      [200, 'application/json', '{"status":["accepted"]}'],
      [200, 'application/json', 'null'],
      [200, 'application/json', '"accepted"'],
      [200, 'application/json', '{"status":"accepted"'],
      [200, 'application/json', ''],
    ] as const)
      assert.notEqual(judgeAnswer(status, type, body), null, `${status} ${type} ${body}`)
  })
})

describe('a call to a provider', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-provider-'))
  let answer = (_request: IncomingMessage, response: ServerResponse): void => accept(response)
  const seen: { readonly request: IncomingMessage; readonly body: string }[] = []
  let call: ProviderCall
  let chain = ''
  let server: ReturnType<typeof createServer>
  const accept = (response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json')
    response.end('{"status":"accepted"}')
  }

  before(async () => {
    const made = await ensureCertificate(join(folder, 'tls'), ['provider.test'], new Date())
    chain = made.chain
    server = createServer({ key: made.key, cert: made.chain }, (request, response) => {
      let body = ''
      request.on('data', (part: Buffer) => {
        body += part.toString('utf8')
      })
      request.on('end', () => {
        seen.push({ request, body })
        answer(request, response)
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    call = {
      url: new URL(`https://provider.test:${port}/send?from=gateway`),
      address: '127.0.0.1',
      key: 'secret-key',
      timeoutSeconds: 20,
      body: { to: '+12025550123', text: 'Your code is "123456".' },
    }
  })
  after(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('posts JSON with the key to the given address, and proves the name by the certificate', async () => {
    assert.equal(await createProviderCall('brand/1', chain)(call), null)
    const [{ request, body } = assert.fail('nothing arrived')] = seen
    assert.deepEqual(
      [request.method, request.url, request.headers.authorization, request.headers['content-type']],
      ['POST', '/send?from=gateway', 'Bearer secret-key', 'application/json'],
    )
    assert.deepEqual(JSON.parse(body), call.body)
    const count = seen.length
    assert.match((await createProviderCall('brand/1')(call)) ?? '', /cannot be reached/, 'a certificate of no one')
    const other = { ...call, url: new URL(call.url.href.replace('provider.test', 'other.test')) }
    assert.match((await createProviderCall('brand/1', chain)(other)) ?? '', /cannot be reached/, 'another name')
    assert.equal(seen.length, count, 'nothing was sent')
  })

  it('follows no redirect, reads no endless answer and waits no longer than allowed', async () => {
    const send = createProviderCall('brand/1', chain)
    answer = (_, response) => response.writeHead(307, { location: call.url.href }).end()
    const count = seen.length
    assert.match((await send(call)) ?? '', /status 307/)
    assert.equal(seen.length, count + 1)
    answer = (_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(`{"status":"accepted","x":"${'x'.repeat(10_000)}"}`)
    }
    assert.match((await send(call)) ?? '', /too long/)
    answer = () => {}
    assert.match((await send({ ...call, timeoutSeconds: 0.05 })) ?? '', /cannot be reached/)
    answer = (_, response) => response.destroy()
    assert.match((await send(call)) ?? '', /cannot be reached/)
  })
})
