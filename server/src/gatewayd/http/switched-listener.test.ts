// A listener follows its switch: closed, open and closed again, with everyone who was connected.
// Requirement 18.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { createSwitchedListener, type SwitchedListener } from './switched-listener.ts'

const faults: Error[] = []
const cleanUps: (() => void)[] = []
let isOn = false
let socketsClosed = 0

function listener(port = 0): SwitchedListener {
  const made = createSwitchedListener({
    isOn: () => isOn,
    address: { host: '127.0.0.1', port },
    create: () => ({ server: createServer() as Server, sockets: { count: 0, close: () => socketsClosed++ } }),
    onFault: (error) => faults.push(error),
  })
  cleanUps.push(made.close)
  return made
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

describe('a listener with a switch', () => {
  afterEach(() => {
    isOn = false
    for (const one of cleanUps.splice(0)) one()
  })

  it('listens only while it is on', async () => {
    const one = listener()
    one.follow()
    assert.equal(one.port, null)
    isOn = true
    one.follow()
    await until('it listens', () => one.port !== null)
    const port = one.port ?? 0
    one.follow()
    assert.equal(one.port, port, 'it stays as it is')
    isOn = false
    one.follow()
    assert.equal(one.port, null)
    await assert.rejects(connected(port), { code: 'ECONNREFUSED' })
    isOn = true
    one.follow()
    await until('it listens again', () => one.port !== null)
  })

  it('disconnects everyone when it is switched off, also before the handshake', async () => {
    const one = listener()
    isOn = true
    one.follow()
    await until('it listens', () => one.port !== null)
    const socket = await connected(one.port ?? 0)
    const before = socketsClosed
    isOn = false
    one.follow()
    await once(socket, 'close')
    assert.equal(socketsClosed, before + 1, 'and what was upgraded')
  })

  it('reports a port that is taken, and tries again with the next change', async () => {
    const other = createNetServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const one = listener(port)
    isOn = true
    one.follow()
    await until('the fault is reported', () => faults.length === 1)
    assert.match(faults[0]?.message ?? '', /EADDRINUSE/)
    assert.equal(one.port, null)
    other.close()
    await once(other, 'close')
    one.follow()
    await until('it listens', () => one.port === port)
  })
})
