// The block peer: certificates for exactly the name asked for, of every kind of name, and what hostile peers get.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { connect as connectTls, type PeerCertificate } from 'node:tls'
import { until } from '../../test/support/until.ts'
import { createBlockPeer } from './block-peer.ts'
import { certifiedName, NameCertificates } from './name-certificates.ts'

describe('the block peer', () => {
  const certificates = new NameCertificates(() => new Date(), { kept: 3 })
  let server: Server
  let port: number
  before(async () => {
    server = createBlockPeer(certificates).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  async function send(text: string): Promise<{ socket: Socket; answer: string }> {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(text, 'latin1')
    let answer = ''
    const take = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
    }
    socket.on('data', take)
    await until('it answers', () => answer.includes('\r\n\r\n') || socket.destroyed)
    socket.off('data', take)
    return { socket, answer }
  }
  async function certificateOf(target: string, servername?: string): Promise<PeerCertificate> {
    const { socket, answer } = await send(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 200 /)
    const secure = connectTls({ socket, rejectUnauthorized: false, ...(servername ? { servername } : {}) })
    await once(secure, 'secureConnect')
    const certificate = secure.getPeerCertificate()
    secure.destroy()
    return certificate
  }

  it('shows a certificate for the name, the address or the name of the hello', async () => {
    assert.equal((await certificateOf('casino.test:443')).subjectaltname, 'DNS:casino.test')
    assert.equal((await certificateOf('192.0.2.7:443', 'Casino.Test')).subjectaltname, 'DNS:casino.test')
    assert.equal((await certificateOf('192.0.2.7:443')).subjectaltname, 'IP Address:192.0.2.7')
    assert.equal((await certificateOf('[2001:DB8::7]:8443')).subjectaltname, 'IP Address:2001:DB8:0:0:0:0:0:7')
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.test`
    assert.equal((await certificateOf('192.0.2.7:443', long)).subjectaltname, `DNS:${long}`)
  })

  it('has a bounded number of connections: further ones are closed, until one has ended', async () => {
    const small = createBlockPeer(certificates, 3).listen(0, '127.0.0.1')
    await once(small, 'listening')
    const place = (small.address() as AddressInfo).port
    const open = async (): Promise<{ readonly socket: Socket; readonly isServed: boolean }> => {
      const socket = connect(place, '127.0.0.1').on('error', () => {})
      let answer = ''
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1')
      })
      socket.write('CONNECT casino.test:443 HTTP/1.1\r\nHost: casino.test:443\r\n\r\n')
      await until('it is served or closed', () => answer.includes('\r\n\r\n') || socket.destroyed)
      return { socket, isServed: answer.startsWith('HTTP/1.1 200 ') }
    }
    try {
      const held = [await open(), await open(), await open()]
      assert.deepEqual(
        held.map(({ isServed }) => isServed),
        [true, true, true],
      )
      assert.equal((await open()).isServed, false)
      held[0]?.socket.destroy()
      await until('there is room again', async () => (await open()).isServed)
      for (const { socket } of held) socket.destroy()
    } finally {
      small.closeAllConnections()
      small.close()
    }
  })

  it('keeps a bounded number of them, and makes each once', async () => {
    const before = certificates.numbers.made
    await Promise.all(Array.from({ length: 50 }, () => certificates.contextFor('one.test')))
    assert.equal(certificates.numbers.made, before + 1)
    await Promise.all(Array.from({ length: 40 }, (_, at) => certificates.contextFor(`n${at}.test`)))
    assert.deepEqual(certificates.numbers, { kept: 3, made: before + 41, running: 0 })
    const few = new NameCertificates(() => new Date(), { waiting: 2, atOnce: 1 })
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((name) => few.contextFor(`${name}.test`)))
    assert.ok(outcomes.some(({ status }) => status === 'rejected'))
    await few.contextFor('e.test')
  })

  it('refuses names that cannot be in a certificate, and every other request', async () => {
    for (const target of ['a b:443', 'x".test:443', `${'a'.repeat(300)}:443`, '%00.test:443', '*.test:443', ':443'])
      assert.doesNotMatch((await send(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).answer, / 200 /, target)
    assert.match((await send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')).answer, /^HTTP\/1\.1 403 /)
    assert.deepEqual(
      ['A.Test.', '[::1]', '::FFFF:1.2.3.4', '1.2.3.4', 'a..b', 'a/b', '', 'a\u0000b', `${'x'.repeat(64)}.test`].map(
        certifiedName,
      ),
      ['a.test', '::1', '::ffff:102:304', '1.2.3.4', null, null, null, null, null],
    )
  })

  it('answers what is asked inside of the connection with a refusal', async () => {
    const { socket } = await send('CONNECT casino.test:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    const secure = connectTls({ socket, rejectUnauthorized: false, servername: 'casino.test' })
    let text = ''
    secure.on('data', (chunk) => {
      text += chunk
    })
    secure.write('GET /secret HTTP/1.1\r\nHost: casino.test\r\n\r\n')
    await once(secure, 'close')
    assert.match(text, /^HTTP\/1\.1 403 /)
  })
})
