// The resolver against a small DNS server of the test's own: fresh answers, clamped lifetimes, failures that keep the
// last known addresses, other servers, many domains at once.

import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { patienceMs } from '../../../../test/support/until.ts'
import { DomainResolver } from './resolver.ts'

/** What the server says to a name; null is a failure of the server, undefined a name that does not exist. */
type Zone = Map<string, { readonly ttl: number; readonly addresses: readonly string[] } | null>

class DnsServer {
  readonly zone: Zone = new Map()
  readonly asked: string[] = []
  isSilent = false
  mostWaiting = 0
  #waiting = 0
  readonly #socket: Socket = createSocket('udp4')

  async open(): Promise<string> {
    this.#socket.on('message', (query, from) => {
      const name = nameIn(query)
      this.asked.push(name)
      if (this.isSilent) return
      this.#waiting++
      this.mostWaiting = Math.max(this.mostWaiting, this.#waiting)
      setImmediate(() => {
        this.#waiting--
        this.#socket.send(answerTo(query, this.zone.get(name)), from.port, from.address)
      })
    })
    this.#socket.bind(0, '127.0.0.1')
    await once(this.#socket, 'listening')
    return `127.0.0.1:${this.#socket.address().port}`
  }

  close(): void {
    this.#socket.close()
  }
}

function nameIn(query: Buffer): string {
  const labels: string[] = []
  for (let at = 12; query[at] !== 0; at += (query[at] as number) + 1) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] as number)))
  }
  return labels.join('.').toLowerCase()
}

function answerTo(query: Buffer, record: ReturnType<Zone['get']>): Buffer {
  let end = 12
  while (query[end] !== 0) end += (query[end] as number) + 1
  const question = query.subarray(12, end + 5)
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  const code = record === null ? 2 : record === undefined ? 3 : 0
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(record?.addresses.length ?? 0, 6)
  const answers = (record?.addresses ?? []).map((address) => {
    const answer = Buffer.alloc(16)
    answer.writeUInt16BE(0xc00c, 0)
    answer.writeUInt16BE(1, 2)
    answer.writeUInt16BE(1, 4)
    answer.writeUInt32BE(record?.ttl ?? 0, 6)
    answer.writeUInt16BE(4, 10)
    Buffer.from(address.split('.').map(Number)).copy(answer, 12)
    return answer
  })
  return Buffer.concat([header, question, ...answers])
}

describe('the resolver', () => {
  let server: DnsServer
  let address: string
  let resolver: DomainResolver | null
  let told: ReadonlyMap<string, readonly string[]>[]
  let listeners: (() => void)[]
  beforeEach(async () => {
    server = new DnsServer()
    address = await server.open()
    resolver = null
    told = []
    listeners = []
  })
  afterEach(() => {
    resolver?.stop()
    server.close()
  })

  const clock = { now: () => new Date(), elapsed: () => performance.now() / 1000 }
  const start = (limits = {}, servers = () => [address]): DomainResolver => {
    resolver = new DomainResolver({
      servers,
      clock,
      limits,
      onAddresses: (addresses) => {
        told.push(addresses)
        for (const listener of listeners) listener()
      },
    })
    return resolver
  }
  /** Waits for a telling that fits; the test's own time limit ends it. */
  const untilTold = async (fits: (addresses: ReadonlyMap<string, readonly string[]>) => boolean): Promise<void> => {
    while (!told.some(fits)) {
      await new Promise<void>((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`told: ${JSON.stringify(told.map((m) => [...m]))}`)),
          patienceMs,
        )
        listeners.push(() => {
          clearTimeout(limit)
          resolve()
        })
      })
    }
  }
  const has =
    (id: string, ...addresses: string[]) =>
    (book: ReadonlyMap<string, readonly string[]>) =>
      book.get(id)?.join(' ') === addresses.join(' ')

  it('reports the addresses of every domain, sorted whatever the order of the answer', async () => {
    server.zone.set('a.test', { ttl: 300, addresses: ['192.0.2.20', '192.0.2.3'] })
    server.zone.set('b.test', { ttl: 300, addresses: ['127.0.0.1'] })
    const at = Math.floor(Date.now() / 1000)
    start().update([
      { id: 'domain.id.1', value: 'a.test' },
      { id: 'domain.id.2', value: 'B.test' },
    ])
    await untilTold(
      (book) => has('domain.id.1', '192.0.2.3', '192.0.2.20')(book) && has('domain.id.2', '127.0.0.1')(book),
    )
    const status = resolver?.status().get('domain.id.1')
    assert.equal(status?.error, null)
    assert.ok((status?.resolvedAt ?? 0) >= at)
  })

  it('asks again when an answer runs out, and only then', async () => {
    server.zone.set('short.test', { ttl: 0, addresses: ['192.0.2.1'] })
    server.zone.set('long.test', { ttl: 86_400, addresses: ['192.0.2.9'] })
    start({ shortestSeconds: 0.05, longestSeconds: 600 }).update([
      { id: 'domain.id.1', value: 'short.test' },
      { id: 'domain.id.2', value: 'long.test' },
    ])
    await untilTold(has('domain.id.1', '192.0.2.1'))
    server.zone.set('short.test', { ttl: 0, addresses: ['192.0.2.2'] })
    await untilTold(has('domain.id.1', '192.0.2.2'))
    assert.equal(server.asked.filter((name) => name === 'long.test').length, 1)
  })

  it('asks again after the longest time, however long the answer claims to last', async () => {
    server.zone.set('long.test', { ttl: 86_400, addresses: ['192.0.2.1'] })
    start({ shortestSeconds: 0.01, longestSeconds: 0.05 }).update([{ id: 'domain.id.1', value: 'long.test' }])
    await untilTold(has('domain.id.1', '192.0.2.1'))
    server.zone.set('long.test', { ttl: 86_400, addresses: ['192.0.2.2'] })
    await untilTold(has('domain.id.1', '192.0.2.2'))
  })

  it('keeps the last known addresses through failures, says so, and gives them up in the end', async () => {
    for (const [answer, words] of [
      [null, 'The DNS server failed to resolve the name.'],
      [undefined, 'The name does not exist.'],
    ] as const) {
      told = []
      server.zone.set('a.test', { ttl: 0, addresses: ['192.0.2.1'] })
      const one = start({ shortestSeconds: 0.02, keepSeconds: 1 })
      one.update([{ id: 'domain.id.1', value: 'a.test' }])
      await untilTold(has('domain.id.1', '192.0.2.1'))
      if (answer === undefined) server.zone.delete('a.test')
      else server.zone.set('a.test', answer)
      while (one.status().get('domain.id.1')?.error === null) await new Promise((resolve) => setImmediate(resolve))
      const status = one.status().get('domain.id.1')
      assert.deepEqual(status?.addresses, ['192.0.2.1'])
      assert.equal(status?.error, `${words} The addresses of the last answer stay in use.`)
      await untilTold(has('domain.id.1'))
      assert.equal(one.status().get('domain.id.1')?.error, words)
      one.stop()
    }
  })

  it('says that a name which never resolved has no addresses', async () => {
    const one = start()
    one.update([{ id: 'domain.id.1', value: 'nothing.test' }])
    while (one.status().get('domain.id.1')?.error === null) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(one.status().get('domain.id.1'), {
      addresses: [],
      resolvedAt: null,
      error: 'The name does not exist.',
    })
    assert.deepEqual(told, [])
  })

  it('forgets domains that are gone and asks again for one with another name', async () => {
    server.zone.set('a.test', { ttl: 300, addresses: ['192.0.2.1'] })
    server.zone.set('b.test', { ttl: 300, addresses: ['192.0.2.2'] })
    const one = start()
    one.update([{ id: 'domain.id.1', value: 'a.test' }])
    await untilTold(has('domain.id.1', '192.0.2.1'))
    one.update([{ id: 'domain.id.1', value: 'b.test' }])
    await untilTold(has('domain.id.1', '192.0.2.2'))
    one.update([])
    await untilTold((book) => book.size === 0)
    assert.equal(one.status().size, 0)
  })

  it('asks other servers as soon as there are others', async () => {
    server.zone.set('a.test', { ttl: 3_000, addresses: ['192.0.2.1'] })
    const other = new DnsServer()
    const otherAddress = await other.open()
    other.zone.set('a.test', { ttl: 3_000, addresses: ['192.0.2.99'] })
    let servers = [address]
    const one = start({}, () => servers)
    const domains = [{ id: 'domain.id.1', value: 'a.test' }]
    one.update(domains)
    await untilTold(has('domain.id.1', '192.0.2.1'))
    one.update(domains)
    assert.equal(server.asked.length, 1)
    servers = [otherAddress, 'no server']
    one.update(domains)
    await untilTold(has('domain.id.1', '192.0.2.99'))
    other.close()
  })

  it('asks for at most 16 domains at once and reports a crowd of answers in few steps', async () => {
    const domains = Array.from({ length: 400 }, (_, index) => ({
      id: `domain.id.${index + 1}`,
      value: `n${index}.test`,
    }))
    for (const { value } of domains) server.zone.set(value, { ttl: 300, addresses: ['192.0.2.1'] })
    start().update(domains)
    await untilTold((book) => [...book.values()].filter((addresses) => addresses.length > 0).length === 400)
    assert.ok(server.mostWaiting <= 16, String(server.mostWaiting))
    assert.ok(told.length <= 20, String(told.length))
  })

  it('takes at most 256 addresses of one answer', async () => {
    const addresses = Array.from({ length: 300 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
    server.zone.set('many.test', { ttl: 300, addresses })
    start().update([{ id: 'domain.id.1', value: 'many.test' }])
    await untilTold((book) => book.get('domain.id.1')?.length === 256)
  })

  it('is quiet after it was stopped', async () => {
    server.isSilent = true
    const one = start()
    one.update([{ id: 'domain.id.1', value: 'a.test' }])
    while (server.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    one.stop()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(told, [])
  })
})
