import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import { watchProxy } from './proxy-watch.ts'

test('a proxy that takes connections and says nothing is down, and up again with its first answer', async () => {
  let speaks = false
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}))
    socket.on('data', () => speaks && socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let [isWanted, isFull] = [true, false]
  const seen: (string | null)[] = []
  const watch = watchProxy({
    port,
    isWanted: () => isWanted,
    isFull: () => isFull,
    onChange: (state) => seen.push(state),
    everyMs: 5,
    patienceMs: 50,
  })
  try {
    await until('it is seen as down', () => watch.state() === 'down')
    speaks = true
    await until('it is seen as up', () => watch.state() === 'up')
    speaks = false
    await until('it is seen as down again', () => watch.state() === 'down')
    isFull = true
    await until('it is seen as full, not as down', () => watch.state() === 'full')
    isFull = false
    await until('it is seen as down when that is not why', () => watch.state() === 'down')
    isWanted = false
    await until('it is not watched', () => watch.state() === null)
    // Busy machines may miss an answer in between, so only the order is told.
    assert.deepEqual(
      seen.filter((state, index) => index === 0 || state !== seen[index - 1]),
      seen,
    )
    assert.deepEqual([seen[0], seen.includes('up'), seen.at(-1)], ['down', true, null])
  } finally {
    watch.close()
    for (const socket of open) socket.destroy()
    server.close()
  }
})

test('a proxy that says nothing because it works is full, not down', async () => {
  const open = new Set<Socket>()
  const server = createServer((socket) => void open.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let step: number | null = 0
  let worked = 0
  const processorMs = () => {
    worked += step ?? 0
    return step === null ? null : worked
  }
  const watch = watchProxy({
    port,
    isWanted: () => true,
    isFull: () => false,
    onChange: () => {},
    everyMs: 60_000,
    patienceMs: 50,
    processorMs,
  })
  try {
    assert.equal(await watch.look(), 'down', 'it stands still')
    step = 60_000
    assert.equal(await watch.look(), 'full')
    step = null
    assert.equal(await watch.look(), 'down', 'nothing is known of it')
  } finally {
    watch.close()
    for (const socket of open) socket.destroy()
    server.close()
  }
})

test('a proxy that answered and has ended is starting, and down when it does not come back', async () => {
  const server = createServer((socket) =>
    socket.on('error', () => {}).on('data', () => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const parts = { port, isWanted: () => true, isFull: () => false, everyMs: 60_000 }
  const seen: (string | null)[] = []
  const [patient, impatient] = [
    watchProxy({ ...parts, onChange: (state) => seen.push(state), returnMs: 3_600_000 }),
    watchProxy({ ...parts, onChange: () => {}, returnMs: 0 }),
  ]
  try {
    assert.deepEqual(await Promise.all([patient.look(), impatient.look()]), ['up', 'up'])
    server.close()
    await once(server, 'close')
    for (let round = 0; round < 3; round++) await Promise.all([patient.look(), impatient.look()])
    assert.deepEqual([patient.state(), impatient.state()], ['starting', 'down'])
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    assert.equal(await patient.look(), 'up')
    assert.deepEqual(seen, ['up', 'starting', 'up'])
  } finally {
    patient.close()
    impatient.close()
    server.close()
  }
})

test('a port at which no one listens is a proxy that is down, however many connections are left of it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const watch = watchProxy({
    port,
    isWanted: () => true,
    isFull: () => true,
    onChange: () => {},
    everyMs: 60_000,
  })
  assert.equal(await watch.look(), 'down')
  watch.close()
})
