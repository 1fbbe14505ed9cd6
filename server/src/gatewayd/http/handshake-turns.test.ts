// Requirements 35 and 73.

import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Source, sourceOf } from '../../shared/net/source.ts'
import { HandshakeTurns } from './handshake-turns.ts'

const administrator = sourceOf('10.9.9.9')

function start() {
  const begun: string[] = []
  const turns = new HandshakeTurns((source) => source === administrator)
  const ask = (source: Source, name: string): Socket => {
    const socket = new Socket()
    turns.take(socket, source, () => begun.push(name))
    return socket
  }
  /** As the kernel hands them over: one in each turn of the event loop. */
  const askAll = async (source: (index: number) => Source, count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      ask(source(index), 'attacker')
      await setImmediate()
    }
  }
  const until = async (name: string): Promise<number> => {
    for (let turn = 0; turn < 10_000 && !begun.includes(name); turn++) await setImmediate()
    return begun.indexOf(name)
  }
  return { begun, ask, askAll, until }
}

test('a single connection begins in the same turn', async () => {
  const { begun, ask } = start()
  ask(sourceOf('10.0.0.1'), 'one')
  await setImmediate()
  assert.deepEqual(begun, ['one'])
})

test('handshakes do not keep the kernel from handing over who comes next', async () => {
  const { begun, askAll } = start()
  await askAll(() => sourceOf('10.0.0.1'), 800)
  assert.ok(begun.length <= 100, `${begun.length} began while 800 arrived`)
})

test('one who asks for the first time goes before a source that asks for many', async () => {
  const { begun, ask, askAll, until } = start()
  await askAll(() => sourceOf('10.0.0.1'), 800)
  const before = begun.length
  ask(sourceOf('10.0.0.2'), 'newcomer')
  assert.ok((await until('newcomer')) - before <= 4)
})

test('the address of an administrator goes before any number of unauthenticated clients', async () => {
  const { begun, ask, askAll, until } = start()
  await askAll((index) => sourceOf(`10.${1 + (index >> 8)}.${index & 255}.1`), 800)
  const before = begun.length
  ask(administrator, 'administrator')
  assert.ok((await until('administrator')) - before <= 4)
})

test('behind one address the newest goes first', async () => {
  const { begun, ask, askAll, until } = start()
  await askAll(() => sourceOf('10.0.0.1'), 800)
  const before = begun.length
  ask(sourceOf('10.0.0.1'), 'colleague')
  assert.ok((await until('colleague')) - before <= 4)
})

test('one that has gone does not begin, and all that stay do', async () => {
  const { begun, ask, until } = start()
  const sockets = Array.from({ length: 100 }, (_, index) => ask(sourceOf('10.0.0.1'), `${index}`))
  for (const socket of sockets.slice(0, 50)) socket.destroy()
  ask(sourceOf('10.0.0.1'), 'last')
  await until('last')
  for (let turn = 0; turn < 200; turn++) await setImmediate()
  assert.deepEqual(
    begun.filter((name) => name !== 'last').toSorted((a, b) => Number(a) - Number(b)),
    Array.from({ length: 50 }, (_, index) => `${50 + index}`),
  )
})
