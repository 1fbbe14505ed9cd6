import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createPlainServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { makeCertificate } from '../../http/certificate-maker.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { Connection, readFingerprint } from './connection.ts'

let server: Server
let address: string
let fingerprint: string
const seen: string[] = []

before(async () => {
  const { key, chain } = await makeCertificate(['127.0.0.1'], new Date())
  fingerprint = new X509Certificate(chain).fingerprint256
  server = createServer({ key, cert: chain }, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.cookie ?? ''} ${request.headers['x-note'] ?? ''}`)
    request.pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
})

after(() => void server.close())

test('the fingerprint of a server can be read before anything is sent', async () => {
  assert.equal(await readFingerprint(address), fingerprint)
  assert.deepEqual(seen, [])
})

test('a server with the trusted certificate is asked, several times over one connection', async () => {
  const connection = new Connection(address, fingerprint)
  const headers = { cookie: 'a=b', 'x-note': Buffer.from('größer').toString('latin1') }
  const answer = await connection.send({
    method: 'POST',
    target: '/x',
    headers,
    body: { bytes: Buffer.from('{"a":"ü"}'), contentType: 'application/json' },
  })
  assert.equal(answer.text, '{"a":"ü"}')
  await connection.send({ method: 'GET', target: '/y' })
  connection.close()
  const note = Buffer.from(seen[0]?.split(' ').at(-1) ?? '', 'latin1').toString('utf8')
  assert.equal(note, 'größer')
  assert.equal(seen.length, 2)
})

test('a server with another certificate gets not a byte of the request', async () => {
  seen.length = 0
  const connection = new Connection(
    address,
    fingerprint.replace(/^../, (two) => (two === '00' ? '01' : '00')),
  )
  await assert.rejects(connection.send({ method: 'GET', target: '/', headers: { cookie: 'secret' } }), (error) => {
    assert.ok(error instanceof CommandFailure)
    assert.equal(error.exitCode, exitCodes.noConnection)
    assert.match(error.message, /presents a different certificate than the one you trusted\. Nothing was sent/)
    return true
  })
  connection.close()
  assert.deepEqual(seen, [])
})

test('a server that speaks no TLS is reported as such', async () => {
  const plain = createPlainServer().listen(0, '127.0.0.1')
  await once(plain, 'listening')
  const port = (plain.address() as AddressInfo).port
  await assert.rejects(readFingerprint(`https://127.0.0.1:${port}`), /the server does not use TLS/)
  plain.close()
})
