// What applyd says to the service manager, heard at a real socket: ready after its rules and its socket, alive, about to end.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dlopen } from 'node:ffi'
import { closeSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, beforeEach, test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { addressOf, createServiceManager, findServiceManager, openSend } from '../shared/service-manager.ts'
import { Bench } from './stand-ins/harness.ts'

const int = 'int32'
const { functions: libc } = dlopen(null, {
  socket: { return: int, arguments: [int, int, int] },
  bind: { return: int, arguments: [int, 'pointer', 'uint32'] },
  recv: { return: 'int64', arguments: [int, 'pointer', 'uint64', int] },
})
const [unix, datagram, withoutWaiting] = [1, 2, 0x40]

/** A socket like that of the service manager; `heard` returns what came since the last question. */
function listenAt(name: string) {
  const address = addressOf(name) ?? assert.fail(`${name} is no address`)
  const socket = libc.socket(unix, datagram, 0)
  assert.equal(libc.bind(socket, address, address.length), 0)
  const buffer = Buffer.alloc(4096)
  const heard = (): string[] => {
    const words: string[] = []
    for (;;) {
      const length = Number(libc.recv(socket, buffer, BigInt(buffer.length), withoutWaiting))
      if (length < 0) return words
      words.push(buffer.toString('utf8', 0, length))
    }
  }
  return { heard, close: () => closeSync(socket) }
}

let bench: Bench
let child: ChildProcess | undefined
beforeEach(() => {
  bench = new Bench()
})
afterEach(() => {
  child?.kill('SIGKILL')
  child = undefined
  bench.remove()
})
const abstract = `@portcullis-test-${process.pid}`
const listener = listenAt(abstract)
after(() => listener.close())

test('applyd is ready when its socket is there, shows that it lives, and says that it ends', async () => {
  const path = bench.path('notify')
  const manager = listenAt(path)
  const env = { PATH: '/usr/bin:/bin', PORTCULLIS_STATE: bench.stateDir, PORTCULLIS_DATAPLANE: 'lab' }
  const words: string[] = []
  const hear = (word: string) => until(word, () => words.push(...manager.heard()) > 0 && words.includes(word))
  child = spawn(
    '/usr/sbin/ip',
    ['netns', 'exec', bench.namespace, process.execPath, join(import.meta.dirname, 'main.ts')],
    { env: { ...env, NOTIFY_SOCKET: path, WATCHDOG_USEC: '300000' }, stdio: ['ignore', 'inherit', 'pipe'] },
  )
  child.stderr?.resume()
  await hear('READY=1')
  assert.ok(existsSync(join(bench.stateDir, 'run', 'applyd.sock')))
  assert.equal(words[0], 'READY=1')
  await hear('WATCHDOG=1')
  words.length = 0
  await hear('WATCHDOG=1')
  child.kill('SIGTERM')
  await once(child, 'exit')
  await hear('STOPPING=1')
  manager.close()
})

test('a socket may have a name that is in no file system', () => {
  const env: NodeJS.ProcessEnv = { NOTIFY_SOCKET: abstract, WATCHDOG_USEC: '60000000', OTHER: 'x' }
  const manager = findServiceManager(env)
  assert.deepEqual(env, { OTHER: 'x' })
  manager.ready()
  manager.stopping()
  assert.deepEqual(listener.heard(), ['READY=1', 'WATCHDOG=1', 'STOPPING=1'])
})

test('a watchdog for another process is not answered', () => {
  findServiceManager({ NOTIFY_SOCKET: abstract, WATCHDOG_USEC: '60000000', WATCHDOG_PID: '1' }).ready()
  assert.deepEqual(listener.heard(), ['READY=1'])
})

test('readiness that was not taken is said again', async () => {
  const words: string[] = []
  createServiceManager((word) => words.push(word) > 2, null).ready()
  await until('it was taken', () => words.length === 3)
  assert.deepEqual([...new Set(words)], ['READY=1'])
})

test('without a service manager, or with one that is gone, nothing happens', () => {
  for (const socket of ['', 'relative', '/nonexistent/notify', '@', `/${'x'.repeat(200)}`])
    findServiceManager({ NOTIFY_SOCKET: socket }).stopping()
  findServiceManager({}).ready()
  assert.deepEqual([addressOf('relative'), addressOf('@'), addressOf(`/${'x'.repeat(107)}`)], [null, null, null])
  assert.equal(openSend(addressOf('/nonexistent/notify') ?? Buffer.alloc(0))?.('READY=1'), false)
})
