// Active is only what the engine was seen to inspect and the kernel hands to it.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChannelState, type InspectionState, inspectionOff, inspectionSeen } from './inspection.ts'

const channel = (number: number, isFailOpen: boolean): ChannelState => ({
  number,
  isFailOpen,
  prevention: 'p',
  applications: '',
  older: null,
  ready: true,
  message: '',
  lastTestAt: 1,
  lastTestElapsed: 1,
  inForce: 'g',
})
const tested: InspectionState = {
  ...inspectionOff,
  state: 'active',
  generation: 'g',
  channels: [channel(1, true), channel(2, false)],
}
describe('inspection, held against the kernel', () => {
  it('is what the tests found when the kernel blocks nothing of it, or was not asked', () => {
    for (const blocked of [undefined, [], [9]]) assert.equal(inspectionSeen(tested, blocked), tested)
    assert.equal(inspectionSeen(undefined), inspectionOff)
  })

  it('is not active while the kernel still drops what the engine would inspect', () => {
    const seen = inspectionSeen(tested, [2])
    assert.equal(seen.state, 'loading')
    assert.deepEqual(
      seen.channels.map(({ ready, inForce }) => [ready, inForce]),
      [
        [true, 'g'],
        [false, null],
      ],
    )
    assert.equal(inspectionSeen({ ...tested, state: 'failed', message: 'Why' }, [2]).message, 'Why')
  })
})
