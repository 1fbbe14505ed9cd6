import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pace, paceOf, patient } from '../../src/shared/pace.ts'

describe('the pace of a machine', () => {
  it('is that of an ordinary one unless it is several times slower', () => {
    assert.equal(paceOf(0.02), 1)
    assert.equal(paceOf(0.3), 1)
    assert.equal(Math.round(paceOf(3)), 30)
    assert.equal(paceOf(1000), 60)
  })

  it('makes waits longer, and never shorter', () => {
    assert.ok(pace() >= 1)
    assert.ok(patient(250) >= 250)
    assert.ok(Number.isInteger(patient(0.5)))
  })
})
