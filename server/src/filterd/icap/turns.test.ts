// Requirement 35.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

test('a client with much work waits for itself, not others for it', async () => {
  const turns = new Turns()
  const order: string[] = []
  const work = (client: string, count: number) =>
    Array.from({ length: count }, async () => {
      await turns.take(client)
      order.push(client)
    })
  await Promise.all([...work('greedy', 50), ...work('modest', 2), ...work('other', 1)])
  assert.deepEqual(order.slice(0, 5), ['greedy', 'modest', 'other', 'greedy', 'modest'])
  assert.equal(order.length, 53)
})

test('what else the process has to do comes between two pieces of work', async () => {
  const turns = new Turns()
  const order: string[] = []
  let isDone = false
  const beside = (): void => {
    order.push('beside')
    if (!isDone) setImmediate(beside)
  }
  setImmediate(beside)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await turns.take('client')
      order.push('work')
    }),
  )
  isDone = true
  const isApart = order.every((one, at) => one !== 'work' || order[at + 1] !== 'work')
  assert.ok(isApart, order.join(' '))
})
