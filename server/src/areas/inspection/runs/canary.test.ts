import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, describe, it } from 'node:test'
import { testChannel } from './canary.ts'

/** Is between sender and receiver, where the engine is on a gateway. */
async function startRelay(target: number, lets: (text: string) => boolean): Promise<number> {
  const relay = createSocket('udp4')
  relays.push(relay)
  relay.on('message', (bytes) => {
    if (lets(bytes.toString())) relay.send(bytes, target, '127.0.0.1')
  })
  relay.bind(0, '127.0.0.1')
  await once(relay, 'listening')
  return relay.address().port
}

const relays: Socket[] = []

async function freePort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  return port
}

const text = 'portcullis-canary-0123abcd'

describe('the test of a channel', () => {
  afterEach(() => {
    for (const relay of relays.splice(0)) relay.close()
  })

  const test = async (lets: (text: string) => boolean, patienceMs = 60_000) => {
    const port = await freePort()
    const sendTo = await startRelay(port, lets)
    return testChannel({ port, sendTo, text, patienceMs })
  }

  it('finds an engine that drops the text of the generation', async () => {
    assert.deepEqual(await test((one) => !one.includes(text)), { found: 'inspected', fault: '' })
  })

  it('finds none where both pass, as with the rules of another generation', async () => {
    assert.deepEqual(await test((one) => !one.includes('portcullis-canary-76543210')), { found: 'passed', fault: '' })
  })

  it('finds silence where nothing passes', async () => {
    assert.deepEqual(await test(() => false, 100), { found: 'silent', fault: '' })
  })

  it('says so when the port is taken', async () => {
    const port = await startRelay(1, () => false)
    const { found, fault } = await testChannel({ port, text })
    assert.equal(found, 'failed')
    assert.match(fault, /EADDRINUSE/)
  })

  it('sends each test from another port, so that the engine takes it for another connection', async () => {
    const port = await freePort()
    const seen = new Set<number>()
    const relay = createSocket('udp4')
    relays.push(relay)
    relay.on('message', (bytes, { port: source }) => {
      seen.add(source)
      if (!bytes.includes(text)) relay.send(bytes, port, '127.0.0.1')
    })
    relay.bind(0, '127.0.0.1')
    await once(relay, 'listening')
    for (let round = 0; round < 3; round++)
      await testChannel({ port, sendTo: relay.address().port, text, patienceMs: 60_000 })
    assert.equal(seen.size, 3)
  })
})
