// Active is only what the engine was seen to inspect and the kernel hands to it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { say } from '../../shared/said.ts'
import {
  type ChannelState,
  type EngineSeen,
  type InspectionState,
  inspectionOff,
  inspectionSeen,
} from './inspection-state.ts'

const channel = (number: number, isFailOpen: boolean): ChannelState => ({
  number,
  isFailOpen,
  prevention: 'p',
  applications: '',
  older: null,
  ready: true,
  message: '',
  lastTestAt: 1,
  inForce: 'g',
})
const tested: InspectionState = {
  ...inspectionOff,
  state: 'active',
  generation: 'g',
  channels: [channel(1, true), channel(2, false)],
}
const engine: EngineSeen = { heldSince: 1, isChanging: false, blocked: [] }

describe('inspection, held against the machine', () => {
  it('is what the tests found when the kernel blocks nothing of it, or was not asked', () => {
    for (const seen of [null, engine, { ...engine, blocked: [9] }]) assert.equal(inspectionSeen(tested, seen), tested)
  })

  it('is not active while the kernel still drops what the engine would inspect', () => {
    const seen = inspectionSeen(tested, { ...engine, blocked: [2] })
    assert.equal(seen.state, 'loading')
    assert.deepEqual(
      seen.channels.map(({ ready, inForce }) => [ready, inForce]),
      [
        [true, 'g'],
        [false, null],
      ],
    )
    const failed: InspectionState = { ...tested, state: 'failed', message: say`Why` }
    assert.equal(inspectionSeen(failed, { ...engine, blocked: [2] }).message, 'Why')
  })

  it('is not active while the engine does not run', () => {
    const seen = inspectionSeen(tested, { ...engine, heldSince: null })
    assert.equal(seen.state, 'loading')
    assert.deepEqual(
      seen.channels.map(({ ready, inForce }) => [ready, inForce]),
      [
        [true, null],
        [true, null],
      ],
    )
  })

  it('is not active when the engine is going to start again, though it still inspects', () => {
    const seen = inspectionSeen(tested, { ...engine, isChanging: true })
    assert.equal(seen.state, 'loading')
    assert.deepEqual(seen.channels, tested.channels)
  })
})
