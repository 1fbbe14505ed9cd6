import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { ConnectionTable, RequestBudget } from './limits.ts'

/** A connection that is not one: it only has a peer. */
let ports = 0
const socketFrom = (source: string): Socket =>
  Object.defineProperties(new Socket(), {
    remoteAddress: { value: source },
    remotePort: { value: ++ports },
  })
const admit = (table: ConnectionTable, source: string): Socket => {
  const socket = socketFrom(source)
  table.admit(socket, source)
  return socket
}
const open = (sockets: readonly Socket[]): number => sockets.filter(({ destroyed }) => !destroyed).length

test('a source that has too many connections loses the one that was silent longest', () => {
  const table = new ConnectionTable({ all: 10, ofSource: 3 })
  const own = [1, 2, 3].map(() => admit(table, 'a'))
  const other = admit(table, 'b')
  table.touch(own[0] ?? assert.fail())
  admit(table, 'a')
  assert.deepEqual(
    own.map(({ destroyed }) => destroyed),
    [false, true, false],
  )
  assert.equal(other.destroyed, false)
  assert.equal(table.size, 4)
})

test('when all are in use, the source that has most makes room', () => {
  const table = new ConnectionTable({ all: 12, ofSource: 8 })
  const greedy = Array.from({ length: 8 }, () => admit(table, 'greedy'))
  const modest = ['a', 'b', 'c', 'd'].map((source) => admit(table, source))
  for (const source of ['e', 'f', 'g', 'h', 'i']) modest.push(admit(table, source))
  assert.equal(open(modest), 9)
  assert.equal(open(greedy), 3)
  assert.equal(table.size, 12)
})

test('a connection that is closed is forgotten', async () => {
  const table = new ConnectionTable({ all: 2, ofSource: 2 })
  const socket = admit(table, 'a')
  await new Promise((resolve) => socket.once('close', resolve).destroy())
  assert.equal(table.size, 0)
  table.touch(socket)
  assert.equal(table.size, 0)
})

test('a client that does not take its answer is cut', () => {
  const table = new ConnectionTable({ all: 2, ofSource: 2 })
  const [slow, quick] = [admit(table, 'a'), admit(table, 'b')]
  Object.defineProperty(slow, 'writableLength', { value: 5 })
  for (const now of [0, 9_000, 10_000]) table.dropUntaken(now, 10_000)
  assert.equal(slow.destroyed, false)
  table.dropUntaken(10_001, 10_000)
  assert.deepEqual([slow.destroyed, quick.destroyed], [true, false])
})

test('a source may ask so often, and again after a while', () => {
  const budget = new RequestBudget({ burst: 3, perSecond: 2, sources: 2 })
  const take = (source: string, now: number, times: number) =>
    Array.from({ length: times }, () => budget.take(source, now)).filter(Boolean).length
  assert.equal(take('a', 0, 10), 3)
  assert.equal(take('b', 0, 10), 3)
  assert.equal(take('a', 400, 10), 0)
  assert.equal(take('a', 1_000, 10), 2)
  assert.equal(take('a', 60_000, 10), 3)
})

test('only so many sources are remembered, those that asked last', () => {
  const budget = new RequestBudget({ burst: 1, perSecond: 0, sources: 2 })
  assert.deepEqual(
    ['a', 'b', 'a', 'c', 'a', 'b'].map((source) => budget.take(source, 0)),
    [true, true, false, true, false, true],
  )
})
