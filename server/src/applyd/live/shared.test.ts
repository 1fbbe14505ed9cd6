import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareRunning } from './shared.ts'

test('however many ask at once, one program runs, and each answer began after its question', async () => {
  let [running, most, begun] = [0, 0, 0]
  const ask = shareRunning(async () => {
    begun += 1
    const number = begun
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    if (number === 2) throw new Error('once')
    return number
  })
  const first = Array.from({ length: 64 }, ask)
  const outcomes = await Promise.allSettled(first)
  assert.deepEqual(outcomes[0], { status: 'fulfilled', value: 1 })
  assert.ok(outcomes.slice(1).every(({ status }) => status === 'rejected'))
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [3, 4, 4])
  assert.deepEqual([most, begun], [1, 4])
})
