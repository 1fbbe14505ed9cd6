// Requirements 53 and 72.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import { answerTo, readServed } from '../serve.ts'

const request = (line: string): string => `${line}\r\nHost: wpad\r\n\r\n`

test('only the proxy file is served, to requests that are whole', () => {
  const [head, body] = answerTo(request('GET /wpad.dat HTTP/1.1'))?.split('\r\n\r\n') ?? []
  assert.match(head ?? '', /^HTTP\/1\.1 200 OK\r\nContent-Type: application\/x-ns-proxy-autoconfig\r\n/)
  assert.equal(body, 'function FindProxyForURL(url, host) { return "DIRECT"; }\n')
  assert.equal(answerTo(request('HEAD /wpad.dat HTTP/1.0'))?.endsWith('\r\n\r\n'), true)
  assert.match(answerTo(request('GET http://wpad/wpad.dat?x HTTP/1.1')) ?? '', /^HTTP\/1\.1 200/)
  assert.equal(answerTo('GET /wpad.dat HTTP/1.1\r\nHost: wpad\r\n'), null)
  const refused = {
    'GET / HTTP/1.1': 404,
    'GET /../wpad.dat HTTP/1.1': 404,
    'GET /etc/passwd HTTP/1.1': 404,
    'POST /wpad.dat HTTP/1.1': 405,
    'GET /wpad.dat': 400,
    'GET /wpad.dat HTTP/2': 400,
    '': 400,
  }
  for (const [line, status] of Object.entries(refused))
    assert.match(answerTo(request(line)) ?? '', new RegExp(`^HTTP/1\\.1 ${status} `), line)
  assert.match(answerTo('x'.repeat(9000)) ?? '', /^HTTP\/1\.1 431 /)
})

test('a file that says anything else shows nothing: applyd does not look into it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-wpad-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'wpad.json')
  const readOf = (content: string | Buffer) => {
    writeFileSync(path, content)
    return readServed(path)
  }
  const right = { certificate: null, proxyPort: 3128 }
  assert.deepEqual(readOf(JSON.stringify(right)), right)
  const nothing = { certificate: null, proxyPort: null }
  const wrong = [
    '',
    '{',
    'null',
    '[]',
    Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
    JSON.stringify({ ...right, path: '/etc/shadow' }),
    JSON.stringify({ ...right, proxyPort: '3128; return "PROXY evil"' }),
    JSON.stringify({ ...right, certificate: '<script>' }),
    `${'['.repeat(1_000_000)}`,
  ]
  for (const content of wrong) assert.deepEqual(readOf(content), nothing, String(content).slice(0, 60))
  assert.deepEqual(readServed(join(folder, 'missing')), nothing)
})

describe('M9: clients that connect and say nothing', () => {
  let server: ChildProcess
  let port: number
  const idle: Socket[] = []
  before(async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    port = (free.address() as AddressInfo).port
    free.close()
    server = spawn(process.execPath, [join(import.meta.dirname, '..', 'serve.ts'), '127.0.0.1', String(port)])
    await until('it listens', () =>
      fetchFile().then(
        (status) => status === 200,
        () => false,
      ),
    )
  })
  after(async () => {
    for (const socket of idle) socket.destroy()
    server.kill()
    await once(server, 'exit')
  })

  const fetchFile = async (): Promise<number | undefined> => {
    const call = get({ host: '127.0.0.1', port, path: '/wpad.dat', agent: false })
    const [response] = await once(call, 'response')
    response.resume()
    return response.statusCode
  }
  const children = (): string =>
    globSync(`/proc/${server.pid}/task/*/children`)
      .map((path) => readFileSync(path, 'utf8'))
      .join('')

  it('make no processes and keep no one from the file, however many they are', async () => {
    for (let count = 0; count < 800; count++) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      idle.push(socket)
      if (count % 100 === 99) {
        await once(socket, 'connect')
        assert.equal(await fetchFile(), 200)
        assert.equal(children(), '')
      }
    }
  })

  it('are disconnected', async () => {
    for (const socket of idle) socket.resume()
    await until('all of them are gone', () => idle.every((socket) => socket.closed))
    assert.equal(await fetchFile(), 200)
  })
})
