// Connections that only want to be held: slow in sending, slow in reading, silent, or simply too many. Others are served
// as before, and the slow ones are gone in the end, seen from the process that had to hold them.
// Requirements 35, 72 and 73.

import assert from 'node:assert/strict'
import { connect as connectTcp, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { ApiClient } from '../support/api-client.ts'
import { until } from '../support/until.ts'
import { cookieOf, Durations, figuresOf, isNightly, type Lab, password, reasonToSkip, startLab } from './lab.ts'

const slowEach = isNightly ? 60 : 4
const flood = isNightly ? 5_000 : 300
/** More than all unauthenticated clients together may hold. */
const manySources = isNightly ? 10_000 : 6_000
/** One source may hold 64 connections and ask 3,000 times without a session: more come from more sources. */
const perSource = 7

type Kind = 'no handshake' | 'no request' | 'slow headers' | 'slow body' | 'slow read'
const kinds: readonly Kind[] = ['no handshake', 'no request', 'slow headers', 'slow body', 'slow read']

describe('connections that only want to be held', { skip: reasonToSkip() }, () => {
  let lab: Lab
  let port: number
  let cookie: string
  /** Every socket of this test, so that none outlives it. */
  const sockets = new Set<Socket>()
  before(async () => {
    lab = await startLab()
    port = Number(new URL(lab.gateway.address).port)
    cookie = await cookieOf(lab.gateway.address, 'admin')
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await lab?.close()
  })

  /** Never helps the other side to end: it keeps its own half open whatever comes. */
  function open(source: string, isTls: boolean): Promise<Socket> {
    const options = { host: '127.0.0.1', port, localAddress: source, allowHalfOpen: true }
    return new Promise((resolve) => {
      const socket: Socket = isTls
        ? connectTls({ ...options, rejectUnauthorized: false }, () => resolve(socket))
        : connectTcp(options, () => resolve(socket))
      sockets.add(socket)
      // Refused or cut off: that is the gateway's right, and what the tests look at.
      socket.on('error', () => resolve(socket))
      socket.on('close', () => {
        sockets.delete(socket)
        resolve(socket)
      })
    })
  }

  /** The beginning of the answer; empty when the connection ended without one. */
  const ask = (socket: Socket, request: string): Promise<string> =>
    new Promise((resolve) => {
      if (socket.destroyed) resolve('')
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1')))
      socket.once('end', () => resolve(''))
      socket.once('close', () => resolve(''))
      socket.write(request)
    })

  /** Something happens every second, so that the connection is never idle. */
  function every(socket: Socket, act: () => void): void {
    const timer = setInterval(act, 1_000)
    socket.once('close', () => clearInterval(timer))
  }

  async function openSlow(kind: Kind, source: string): Promise<void> {
    const socket = await open(source, kind !== 'no handshake')
    const host = `Host: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n`
    switch (kind) {
      case 'no handshake':
      case 'no request':
        return
      case 'slow headers':
        socket.write(`GET /web/whoami HTTP/1.1\r\n${host}`)
        every(socket, () => socket.write('X-More: 1\r\n'))
        return
      case 'slow body':
        socket.write(`PATCH /firewall/settings HTTP/1.1\r\n${host}Content-Length: 10000\r\n\r\n{`)
        every(socket, () => socket.write(' '))
        return
      case 'slow read':
        // Asks for far more than the buffers in between hold, and takes a little now and then.
        socket.pause()
        socket.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30))
        every(socket, () => socket.read(1_000))
    }
  }

  const descriptors = (): number => figuresOf(lab.gateway.pids().gatewayd).descriptors

  async function measureOthers(count: number): Promise<Durations> {
    const durations = new Durations()
    for (let index = 0; index < count; index++) {
      const { status } = await durations.measure(() => lab.api.call('GET', '/web/whoami'))
      assert.equal(status, 200)
    }
    return durations
  }

  it(`${slowEach * kinds.length} of them change nothing for others${isNightly ? ', and are gone in the end' : ''}`, async (t) => {
    const alone = await measureOthers(300)
    const idle = descriptors()
    const wanted = kinds.flatMap((kind) => Array.from({ length: slowEach }, () => kind))
    await Promise.all(wanted.map((kind, index) => openSlow(kind, `127.0.1.${1 + Math.floor(index / perSource)}`)))
    const among = await measureOthers(300)
    t.diagnostic(`alone: ${alone}`)
    t.diagnostic(`among ${sockets.size} slow ones: ${among}`)
    assert.ok(sockets.size >= wanted.length / 2, 'there were no slow ones')
    assert.equal((await lab.api.call('PATCH', '/gather_stat/settings', { enabled: true })).status, 200)
    if (!isNightly) {
      for (const socket of sockets) socket.destroy()
      return
    }
    await until('the slow ones are gone', () => descriptors() <= idle + 2)
  })

  it(`${flood} from one source do not keep an administrator out`, async (t) => {
    const durations = new Durations()
    const signIns = new Durations()
    let isOver = false
    const source = '127.0.2.1'
    const opening = (async () => {
      // In batches, because a process may have only so many sockets on their way.
      for (let opened = 0; opened < flood; opened += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, index) => open(source, index % 2 === 0)))
      }
    })().finally(() => {
      isOver = true
    })
    let most = 0
    while (!isOver) {
      const { status } = await durations.measure(() => lab.api.call('GET', '/web/whoami'))
      assert.equal(status, 200)
      const other = new ApiClient(lab.gateway.address)
      await signIns.measure(() => other.signIn('admin', password))
      assert.equal((await other.call('DELETE', '/web/auth/login')).status, 200)
      other.close()
      most = Math.max(most, descriptors())
    }
    await opening
    t.diagnostic(`signed in: ${durations}; signing in: ${signIns}; descriptors at most ${most}`)
    assert.ok(most < 1_200, 'one source holds more than its share')
    for (const socket of sockets) socket.destroy()
  })

  it(`${manySources} from many sources, each within its share, leave descriptors to the rest`, async (t) => {
    const idle = descriptors()
    const sources = Math.ceil(manySources / 50)
    let most = 0
    for (let round = 0; round < 50; round++) {
      await Promise.all(Array.from({ length: sources }, (_, index) => open(`127.0.5.${1 + index}`, false)))
      most = Math.max(most, descriptors() - idle)
    }
    // The kernel hands connections over in their order: now all of them were.
    const newcomer = new ApiClient(lab.gateway.address)
    await newcomer.signIn('admin', password)
    most = Math.max(most, descriptors() - idle)
    newcomer.close()
    t.diagnostic(`${manySources} opened, at most ${most} held`)
    assert.ok(most <= 4_200, 'strangers hold more than all of them may')
    for (const socket of sockets) socket.destroy()
  })

  it('the connection of one who just signed in does not make room for unauthenticated clients from the same source', async () => {
    const source = '127.0.4.1'
    const signedIn = await open(source, true)
    const body = JSON.stringify({ login: 'admin', password, rest_path: '/' })
    const head = `Host: 127.0.0.1:${port}\r\nContent-Length: ${body.length}\r\n`
    assert.match(await ask(signedIn, `POST /web/auth/login HTTP/1.1\r\n${head}\r\n${body}`), /^HTTP\/1\.1 200 /)
    const graceIsOver = performance.now() + 2_100
    await Promise.all(Array.from({ length: 64 }, () => open(source, false)))
    await until('the strangers had their time', () => performance.now() > graceIsOver)
    const stranger = await open(source, true)
    const answer = await ask(
      signedIn,
      `GET /web/whoami HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 200 /)
    stranger.destroy()
    for (const socket of sockets) socket.destroy()
  })

  it('a source that floods is not shut out for ever', async () => {
    const socket = await open('127.0.2.1', true)
    const answer = await ask(socket, `GET /web/whoami HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`)
    socket.destroy()
    assert.match(answer, /^HTTP\/1\.1 200 /)
  })
})
