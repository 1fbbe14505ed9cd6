// Requirements 35 and 73.

import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { type Source, sourceOf } from '../../shared/net/source.ts'
import { ConnectionShares, shareLimits } from './connection-shares.ts'

const limits = { soft: 3, graceMilliseconds: 100, hard: 6, strangers: 20, ofOwner: 4, familiar: 2 }
const source = (number: number): Source => sourceOf(`10.0.0.${number}`)

function admit(shares: ConnectionShares, from: number, now = 0): Socket {
  const socket = new Socket()
  socket.once('close', () => shares.forget(socket))
  if (!shares.admit(socket, source(from), now)) socket.destroy()
  return socket
}
const open = (sockets: readonly Socket[]): number => sockets.filter(({ destroyed }) => !destroyed).length

test('all sources together hold no more than the limit, and the one with most makes room', () => {
  const shares = new ConnectionShares(limits)
  const greedy = Array.from({ length: 6 }, () => admit(shares, 1))
  const modest = Array.from({ length: 19 }, (_, index) => admit(shares, 2 + index))
  assert.deepEqual([open(greedy), open(modest)], [1, 19])
  const later = Array.from({ length: 40 }, (_, index) => admit(shares, 30 + index))
  assert.equal(shares.strangers, 20)
  assert.equal(open(later.slice(-19)), 19, 'the newest are there')
})

test('a source loses older ones above its share, and never holds more than its most', () => {
  const shares = new ConnectionShares(limits)
  const early = Array.from({ length: 3 }, () => admit(shares, 1))
  const late = Array.from({ length: 8 }, () => admit(shares, 1, 101))
  assert.equal(open(early), 0)
  assert.equal(open(late), 6)
})

test('the address of an administrator does not make room for unauthenticated clients within its share', () => {
  const shares = new ConnectionShares(limits)
  shares.signIn(admit(shares, 99), source(99), 'administrator')
  const own = [admit(shares, 99), admit(shares, 99)]
  const others = Array.from({ length: 60 }, (_, index) => admit(shares, 100 + (index % 60)))
  assert.equal(open(own), 2)
  assert.equal(open(others), 18)
})

test('one administrator holds so many connections; the one held longest makes room', () => {
  const shares = new ConnectionShares(limits)
  const sign = (owner: string): Socket => {
    const socket = admit(shares, 1)
    shares.signIn(socket, source(1), owner)
    return socket
  }
  const other = sign('other')
  const own = Array.from({ length: 9 }, () => sign('own'))
  assert.deepEqual(
    own.map(({ destroyed }) => destroyed),
    [true, true, true, true, true, false, false, false, false],
  )
  assert.equal(other.destroyed, false)
  assert.equal(shares.strangers, 0)
})

test('only so many addresses of administrators are remembered, those that were used last', () => {
  const shares = new ConnectionShares(limits)
  for (const from of [1, 2, 1, 3]) shares.signIn(admit(shares, from), source(from), 'one')
  assert.deepEqual(
    [1, 2, 3].map((from) => shares.isFamiliar(source(from))),
    [true, false, true],
  )
})

test('what all may hold leaves descriptors for the rest of the process', () => {
  // Of the 65,536 of the unit, or the 20,000 and less of a shell.
  assert.ok(shareLimits.strangers <= 4_096)
  assert.ok(shareLimits.ofOwner <= 256)
})
