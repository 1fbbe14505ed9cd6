// Requirement 54.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import { Checkpointer } from './checkpointer.ts'

const loaded = { sequence: 3, hash: 'c' }

it('signs what was found first, tries again what failed, and tells a mismatch from a full disk', async () => {
  const calls: unknown[] = []
  const faults: unknown[] = []
  const mismatches: string[] = []
  let answer: (() => void) | null = () => {
    throw new GatewayError('internal', say`ENOSPC: no space left on device, write`)
  }
  const audit = { head: { sequence: 5, hash: 'e' }, loaded, onWritten: () => {} }
  const checkpointer = new Checkpointer({
    audit,
    keep: async (...call) => {
      calls.push(call)
      answer?.()
    },
    onMismatch: (reason) => mismatches.push(reason),
    onFault: (error) => faults.push(error),
  })
  await checkpointer.now()
  await checkpointer.now()
  assert.deepEqual([faults.length, mismatches], [1, []])
  assert.deepEqual(calls, [
    [3, 'c', true],
    [3, 'c', true],
  ])
  calls.length = 0
  answer = null
  await checkpointer.now()
  await checkpointer.now()
  assert.deepEqual(calls, [
    [3, 'c', true],
    [5, 'e', false],
  ])
})

it('reports a trail that is not the one that was signed, once', async () => {
  const mismatches: string[] = []
  const checkpointer = new Checkpointer({
    audit: { head: loaded, loaded, onWritten: () => {} },
    keep: async (sequence) => {
      throw new GatewayError('internal', say`Checkpoint ${sequence} does not follow checkpoint 9.`)
    },
    onMismatch: (reason) => mismatches.push(reason),
    onFault: () => assert.fail('it is not a fault of applyd'),
  })
  await checkpointer.now()
  await checkpointer.now()
  assert.deepEqual(mismatches, ['Checkpoint 3 does not follow checkpoint 9.'])
})
