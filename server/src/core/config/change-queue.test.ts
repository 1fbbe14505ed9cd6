// Whose change is next.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ChangeQueue } from './change-queue.ts'
import type { Waiting } from './prepared.ts'

const rejected: string[] = []

const waiting = (login: string, reason: string): Waiting => ({
  request: { edit: (config) => [config, null], actor: { login, address: '' }, reason },
  resolve: () => {},
  reject: () => void rejected.push(reason),
})

const drained = (queue: ChangeQueue): string[] => {
  const reasons: string[] = []
  for (let next = queue.next(); next; next = queue.next()) reasons.push(next.request.reason)
  return reasons
}

describe('the queue of changes', () => {
  it('lets authors take turns and keeps the order of each', () => {
    const queue = new ChangeQueue()
    for (const reason of ['a1', 'a2', 'a3', 'a4']) queue.add(waiting('a', reason))
    for (const reason of ['b1', 'c1', 'b2']) queue.add(waiting(reason.slice(0, 1), reason))
    assert.deepEqual(drained(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
    assert.equal(queue.size, 0)
  })

  it('holds an author up by one change of each other one, however many those send in the meantime', () => {
    const queue = new ChangeQueue()
    for (let index = 0; index < 1000; index++) queue.add(waiting('a', `a${index}`))
    assert.equal(queue.next()?.request.reason, 'a0')
    queue.add(waiting('b', 'b0'))
    queue.add(waiting('a', 'a1000'))
    assert.deepEqual(
      [queue.next(), queue.next()].map((one) => one?.request.reason),
      ['a1', 'b0'],
    )
  })

  it('gives those that must have their turn again that turn first, in their order', () => {
    const queue = new ChangeQueue()
    queue.add(waiting('a', 'a1'))
    queue.addFirst({ waiting: waiting('b', 'b1') }, { waiting: waiting('a', 'a0') })
    assert.deepEqual(drained(queue), ['b1', 'a0', 'a1'])
  })

  it('gives back what was not made: first to those who were not served, and in the order of each author', () => {
    const queue = new ChangeQueue()
    queue.add(waiting('c', 'c1'))
    queue.add(waiting('a', 'a3'))
    const left = [waiting('a', 'a2'), waiting('b', 'b1')].map((one) => ({ waiting: one }))
    queue.giveBack(left, new Set(['a']))
    assert.equal(queue.size, 4)
    assert.deepEqual(drained(queue), ['b1', 'c1', 'a2', 'a3'])
  })

  it('rejects everything that waits', () => {
    const queue = new ChangeQueue()
    for (const login of ['a', 'b']) queue.add(waiting(login, login))
    queue.rejectAll(new Error('the disk is full'))
    assert.deepEqual([rejected, queue.size], [['a', 'b'], 0])
  })
})
