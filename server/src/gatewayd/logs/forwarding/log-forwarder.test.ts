// The thread that forwards the log, with a collector on the loopback.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createStoredLogs } from '../../../../test/support/stored-logs.ts'
import { until } from '../../../../test/support/until.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import type { LocalLogStore } from '../store/local-store.ts'
import type { ForwardingTarget } from './forwarder.ts'
import { LogForwarder } from './log-forwarder.ts'

/** Older records are not kept, by the clock of the machine. */
const startSeconds = Math.floor(Date.now() / 1000) - 3_600

const recordOf = (number: number): NewRecord => ({
  kind: 'system',
  time: (startSeconds + number) * 1_000_000,
  priority: 6,
  unit: 'unbound',
  syslogId: 'unbound',
  message: `number ${number}.`,
  fields: {},
})

const stampOf = (number: number): string => new Date((startSeconds + number) * 1000).toISOString().slice(0, 19)

describe('the thread that forwards the log', () => {
  let folder = ''
  let cursorPath = ''
  const faults: string[] = []
  let store: LocalLogStore
  let text = ''
  let sockets: Socket[] = []
  let server = createServer()
  let written = 0

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'forwarding-'))
    cursorPath = join(folder, 'forwarding.json')
    store = createStoredLogs(folder)
    text = ''
    sockets = []
    written = 0
    server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.on('data', (bytes) => {
        text += bytes
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    await store.close()
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true })
    assert.deepEqual(faults.splice(0), [])
  })

  const start = (): LogForwarder =>
    new LogForwarder({
      logs: store,
      logsPath: join(folder, 'logs.db'),
      cursorPath,
      log: (_level, message) => void faults.push(message),
    })
  const target = (format: 'syslog' | 'cef' = 'syslog'): ForwardingTarget => ({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    protocol: 'tcp',
    format,
    tls: null,
    scope: { hostName: 'gate', timeZone: 'UTC', brand: 'portcullis', version: '1' },
  })
  const write = (count: number): void => store.append(Array.from({ length: count }, () => recordOf(++written)))
  const numbers = (): number[] => [...text.matchAll(/number (\d+)\./g)].map(([, number]) => Number(number))
  const isConnected = (forwarder: LogForwarder) =>
    until('it is connected', () => forwarder.report()?.isConnected === true)

  it('sends messages with their length before them', async () => {
    const forwarder = start()
    forwarder.follow(target())
    await isConnected(forwarder)
    write(2)
    await until('both are there', () => numbers().length === 2)
    const lines = [1, 2].map((number) => `<30>1 ${stampOf(number)}.000000+00:00 gate unbound - - - number ${number}.`)
    assert.equal(text, lines.map((line) => `${line.length} ${line}`).join(''))
    await until('nothing waits', () => forwarder.report()?.waiting === 0)
    await forwarder.stop()
    assert.deepEqual(JSON.parse(readFileSync(cursorPath, 'utf8')), { place: 2, lost: 0 })
  })

  it('changes its settings without a restart, and ends with its thread when it is switched off', async () => {
    const forwarder = start()
    forwarder.follow(target())
    await isConnected(forwarder)
    write(1)
    await until('it is there', () => numbers().length === 1)
    forwarder.follow(target('cef'))
    await until('it is connected again', () => sockets.length === 2)
    write(1)
    await until('the next one is there', () => /msg=number 2\.\n$/.test(text))
    forwarder.follow(null)
    await until('nothing is left', () => forwarder.report() === null && !existsSync(cursorPath))
    write(1)
    await store.flush()
    forwarder.follow(target())
    await isConnected(forwarder)
    write(1)
    await until('the newest one is there', () => numbers().at(-1) === 4)
    assert.deepEqual([...new Set(numbers())], [1, 2, 4])
    await forwarder.stop()
  })

  it('goes on with what waits after a restart', async () => {
    const first = start()
    first.follow(target())
    await isConnected(first)
    write(100)
    await until('they are there', () => numbers().length === 100)
    await first.stop()
    write(100)
    const second = start()
    second.follow(target())
    await until('all are there', () => numbers().length === 200)
    assert.deepEqual(
      numbers(),
      Array.from({ length: 200 }, (_, at) => at + 1),
    )
    await second.stop()
  })

  it('removes what an earlier process left when nothing is forwarded', async () => {
    const first = start()
    first.follow(target())
    await isConnected(first)
    await first.stop()
    assert.ok(existsSync(cursorPath))
    const second = start()
    second.follow(null)
    await until('it is gone', () => !existsSync(cursorPath))
    await second.stop()
  })

  it('follows new settings after the disk did not let it remove what it remembers', async () => {
    const forwarder = start()
    // Not a file, and so not removed.
    mkdirSync(join(cursorPath, 'x'), { recursive: true })
    forwarder.follow(null)
    await until('that is said', () => faults.length > 0)
    rmSync(cursorPath, { recursive: true })
    forwarder.follow(target())
    await isConnected(forwarder)
    await forwarder.stop()
    assert.deepEqual(faults.splice(0), ['forwarding cannot follow its settings'])
  })
})
