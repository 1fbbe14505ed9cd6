import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createPlainServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { issueServer, makeCertificate, makeRoot, type Root } from '../../../shared/certificates/certificate-maker.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { Connection, readCertificate, type ShownCertificate } from './connection.ts'

let server: Server
let address: string
let root: Root
let trusted: ShownCertificate
const seen: string[] = []

before(async () => {
  root = await makeRoot(['127.0.0.1'], new Date())
  const { key, chain } = await issueServer(root, ['127.0.0.1'], new Date())
  server = createServer({ key, cert: chain }, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.cookie ?? ''} ${request.headers['x-note'] ?? ''}`)
    request.pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  trusted = await readCertificate(address)
  assert.equal(trusted.fingerprint, new X509Certificate(chain).fingerprint256)
  assert.deepEqual(seen, [], 'nothing is sent to read it')
})

after(() => void server.close())

test('a server with the trusted certificate is asked, several times over one connection', async () => {
  const connection = new Connection(address, trusted)
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
  const other = await readCertificateOf(await makeCertificate(['127.0.0.1'], new Date()))
  const connection = new Connection(address, other)
  await assert.rejects(connection.send({ method: 'GET', target: '/', headers: { cookie: 'secret' } }), (error) => {
    assert.ok(error instanceof CommandFailure)
    assert.equal(error.exitCode, exitCodes.noConnection)
    assert.match(error.message, /presents a different certificate than the one you trusted\. Nothing was sent/)
    return true
  })
  connection.close()
  assert.deepEqual(seen, [])
})

test('a renewal that the same root signed is followed and reported, also with a new root of the same key', async () => {
  const later = await makeRoot(['127.0.0.1', 'new.example.test'], new Date(), root.key)
  for (const signer of [root, later]) {
    const renewed: ShownCertificate[] = []
    const old = await readCertificateOf(await issueServer(signer, ['127.0.0.1'], new Date()))
    const connection = new Connection(address, old, (shown) => renewed.push(shown))
    await connection.send({ method: 'GET', target: '/' })
    connection.close()
    assert.deepEqual(renewed, [trusted])
  }
})

test('a certificate of that root that has ended is not a renewal', async () => {
  const past = new Date(Date.now() - 500 * 86_400_000)
  const ended = await issueServer(root, ['127.0.0.1'], past)
  assert.equal((await readCertificateOf(ended)).rootKey, null)
})

/** What a server with this certificate shows. */
async function readCertificateOf({ key, chain }: { key: string; chain: string }): Promise<ShownCertificate> {
  const other = createServer({ key, cert: chain }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const shown = await readCertificate(`https://127.0.0.1:${(other.address() as AddressInfo).port}`)
  other.close()
  return shown
}

test('a server that speaks no TLS is reported as such', async () => {
  const plain = createPlainServer().listen(0, '127.0.0.1')
  await once(plain, 'listening')
  const port = (plain.address() as AddressInfo).port
  await assert.rejects(readCertificate(`https://127.0.0.1:${port}`), /the server does not use TLS/)
  plain.close()
})
