// Which engine tests are held against: the one that runs now.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Observation, UnitObservation } from '../../core/plan/artifacts.ts'
import { inspectionWay, type QueueObservation } from './observed.ts'
import { engineSeen } from './status.ts'

const queues: QueueObservation = {
  form: 'nftables',
  fault: null,
  heldSince: 7.5,
  isOverrun: false,
  blocked: [2],
  passed: 0,
  lost: { open: 0, closed: 0 },
}
const observed = (state: UnitObservation['state']): Observation => ({
  plane: 'lab',
  limitation: null,
  appliedRevision: 1,
  tables: [],
  links: [],
  units: [{ name: 'inspection', state, message: '', pid: null }],
  ways: { [inspectionWay]: queues },
})

describe('the inspection engine, as it was observed', () => {
  it('runs while its unit does', () => {
    for (const state of ['active', 'reloading'] as const)
      assert.deepEqual(engineSeen(observed(state), false), { heldSince: 7.5, isChanging: false, blocked: [2] })
    assert.equal(engineSeen(observed('active'), true)?.isChanging, true)
  })

  it('does not run while it starts or ends, though it holds queues, nor where nothing is led to it', () => {
    for (const state of ['activating', 'deactivating', 'inactive', 'failed'] as const)
      assert.equal(engineSeen(observed(state), false)?.heldSince, null)
    const { ways: _, ...none } = observed('active')
    assert.deepEqual(engineSeen(none, false), { heldSince: null, isChanging: false, blocked: [] })
  })

  it('is not known when no one answers', () => {
    assert.equal(engineSeen(null, false), null)
  })
})
