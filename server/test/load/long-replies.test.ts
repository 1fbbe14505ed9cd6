// Long lists over the real listener: a client that reads slowly holds little, one that leaves holds nothing, and a list that is
// changed while it is sent arrives as it was.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { ipAddresses } from '../../src/areas/objects/config.ts'
import { write } from '../../src/core/model/slots.ts'
import { createTlsGateway, openTls, type TlsGateway } from '../security/tls-gateway.ts'
import type { Client } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const path = '/aliases/ip_addresses'
const count = 60_000
/** What one connection may hold on its way to the client, beside what the kernel takes. */
const mostHeld = 3 * 1024 * 1024

describe('a long list', () => {
  let target: TlsGateway
  let admin: Client
  let last: ServerResponse | null = null
  before(async () => {
    target = await createTlsGateway((server) => {
      server.on('request', (_request, response: ServerResponse) => {
        last = response
      })
    })
    admin = await target.gateway.client('predefined_admin_write')
    const items = Array.from({ length: count }, (_, index) => ({
      id: `ip.id.${index + 1}`,
      title: `Host ${index}`,
      comment: 'abcdefghij'.repeat(5),
      value: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    }))
    await target.gateway.engine.change({
      edit: (config) => [write(config, ipAddresses, items), null],
      actor: { login: 'system', address: '127.0.0.1' },
      reason: 'test',
    })
  })
  after(() => target.close())

  const askFor = async (coding: string): Promise<TLSSocket> => {
    const socket = await openTls(target)
    socket.pause()
    last = null
    const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', `Cookie: ${admin.cookie}`, 'Connection: close']
    socket.write(`${lines.join('\r\n')}\r\nAccept-Encoding: ${coding}\r\n\r\n`)
    return socket
  }
  const response = (): ServerResponse => {
    assert.ok(last)
    return last
  }
  const held = (): number => response().writableLength + (response().socket?.writableLength ?? 0)

  /** The items of the answer, whatever its transfer. */
  const itemsOf = async (socket: TLSSocket): Promise<{ id: string; title: string }[]> => {
    const all = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>))
    const end = all.indexOf('\r\n\r\n')
    const head = all.toString('latin1', 0, end)
    assert.match(head, /^HTTP\/1\.1 200 /)
    const body = /transfer-encoding: chunked/i.test(head) ? withoutSizes(all.subarray(end + 4)) : all.subarray(end + 4)
    return JSON.parse((/content-encoding: gzip/i.test(head) ? gunzipSync(body) : body).toString())
  }

  function withoutSizes(all: Buffer): Buffer {
    const parts: Buffer[] = []
    for (let at = 0; at < all.length; ) {
      const end = all.indexOf('\r\n', at)
      const size = Number.parseInt(all.toString('latin1', at, end), 16)
      parts.push(all.subarray(end + 2, end + 2 + size))
      at = end + 2 + size + 2
    }
    return Buffer.concat(parts)
  }

  const change = async (id: string, title: string): Promise<void> => {
    assert.equal((await admin('PATCH', `${path}/${id}`, { title })).status, 200)
  }

  it('is not made for one who reads slowly faster than they read', async () => {
    const socket = await askFor('identity')
    await until('the list is on its way', () => last !== null && held() > 0)
    await until('the connection takes no more', () => response().writableNeedDrain)
    assert.ok(held() <= mostHeld, `${held()} bytes`)
    // Others are answered in the meantime.
    assert.equal((await admin('GET', '/firewall/settings')).status, 200)
    assert.ok(held() <= mostHeld, `${held()} bytes`)
    assert.equal((await itemsOf(socket)).length, count)
  })

  it('that is changed while it is sent arrives as it was', async () => {
    for (const coding of ['identity', 'gzip']) {
      const before = `Before ${coding}`
      await change(`ip.id.${count}`, before)
      const socket = await askFor(coding)
      await until('the answer has begun', () => last?.headersSent === true)
      await change(`ip.id.${count}`, 'Meanwhile')
      await change('ip.id.1', 'Meanwhile')
      const items = await itemsOf(socket)
      assert.equal(items.length, count)
      assert.equal(items.at(-1)?.title, before)
      const again = await itemsOf(await askFor(coding))
      assert.equal(again.at(-1)?.title, 'Meanwhile')
      assert.equal(again[0]?.title, 'Meanwhile')
      await change('ip.id.1', 'Before')
    }
  })

  it('is given up when its reader has gone, in every coding', async () => {
    for (const coding of ['identity', 'gzip', 'zstd', 'br']) {
      await change('ip.id.7', `Gone ${coding}`)
      const socket = await askFor(coding)
      await until('the answer has begun', () => last?.headersSent === true)
      const left = response()
      socket.destroy()
      await until('the answer is closed', () => left.closed)
    }
    assert.equal((await itemsOf(await askFor('gzip'))).length, count)
  })
})
